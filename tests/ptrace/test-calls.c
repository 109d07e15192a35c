/*
 * What a stop does to a system call: each row's call is made by a child, which is stopped in it by the means of
 * attach/ and let go, as sampler/stop/standstill.c does with a thread that was running when it was looked at.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/calls/mend.h"
#include "attach/target.h"
#include "base/clock.h"
#include "tests/ptrace/calls.h"
#include "tests/ptrace/kernel.h"
#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

enum { TRIES = 20, PAGE = 4096, MANY_FAULTS = 2000 };

static const uint64_t span_ns = SPAN_MS * SPROF_NS_PER_MS;

/* One call that is made, and the stop in it. */
struct trial {
	const struct call *call;
	struct stage stage;
	struct sprof_target *target;
	uint64_t stopped_ns;
	bool was_stopped, was_repaired, is_over;
};

/* In the child the exit code says it. */
void calls_require(bool holds, const char *what)
{
	if (holds)
		return;
	print_error("%s: %d\n", what, errno);
	abort();
}

/* The child. */

static void forbid_restart(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	calls_require(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
			!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
		"PR_SET_SECCOMP");
}

static _Noreturn void make_call(const struct call *call, struct stage *stage)
{
	struct said *said = stage->said;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (call->is_filtered)
		forbid_restart();
	said->begin_ns = sprof_clock_now_ns();
	atomic_store(&said->has_begun, true);
	said->result = call->make(stage);
	said->end_ns = sprof_clock_now_ns();
	atomic_store(&said->has_ended, true);
	_exit(0);
}

/* Where the child is. */

static bool is_in_call(const struct trial *trial)
{
	struct sprof_proc_syscall call;
	char text[512];

	if (sprof_proc_read_file(trial->stage.child, 0, "syscall", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_syscall(text, &call))
		return false;
	return call.kind == SPROF_PROC_SYSCALL_INSIDE &&
		(call.number == trial->call->number || call.number == SYS_restart_syscall ||
			(trial->call->rest && call.number == trial->call->rest));
}

/* Where the stop has no effect any moment will do. The other one makes page faults, and few come before it. */
static bool is_busy_in_call(const struct trial *trial)
{
	struct sprof_proc_stat stat;
	char text[1024];

	if (trial->call->effect == EFFECT_NONE)
		return atomic_load(&trial->stage.said->has_begun);
	return sprof_proc_read_file(trial->stage.child, 0, "stat", text, sizeof(text)) > 0 &&
		sprof_proc_parse_stat(text, &stat) && stat.minor_faults > MANY_FAULTS;
}

static bool is_waiting(const struct trial *trial)
{
	char state = task_state(trial->stage.child, trial->stage.child);

	if (trial->call->is_busy)
		return is_busy_in_call(trial);
	return (state == 'S' || state == 'D') && is_in_call(trial);
}

static bool has_ended(const struct trial *trial)
{
	return atomic_load(&trial->stage.said->has_ended);
}

static void wait_for_call(const struct trial *trial)
{
	uint64_t limit = sprof_clock_now_ns() + scene_limit_ns();

	while (!is_waiting(trial) && !has_ended(trial)) {
		assert_true(sprof_clock_now_ns() < limit);
		sched_yield();
	}
}

/* The tracer. */

static void answer(struct trial *trial, const struct sprof_event *event)
{
	struct sprof_regs regs;

	switch (event->kind) {
	case SPROF_EVENT_STOPPED:
		/* As sprof_standstill_end() does. */
		if (sprof_thread_mend(event->thread, true, &regs))
			trial->was_repaired =
				event->thread->restarted || event->thread->remainder.is_on;
		trial->stopped_ns = sprof_clock_now_ns();
		trial->was_stopped = true;
		break;
	case SPROF_EVENT_EMPTY:
		trial->is_over = true;
		break;
	case SPROF_EVENT_ENDED:
	case SPROF_EVENT_CALL:
	case SPROF_EVENT_HELD:
	case SPROF_EVENT_BORN:
	case SPROF_EVENT_DELIVERED:
	case SPROF_EVENT_TIMEOUT:
	case SPROF_EVENT_SIGNAL:
	case SPROF_EVENT_EXEC:
		break;
	}
	sprof_event_answer(trial->target, event);
}

/* Serves the child for at most so long, until it has stopped or is gone. */
static void serve(struct trial *trial, uint64_t deadline_ns, bool until_stop)
{
	while (!trial->is_over && !(until_stop && trial->was_stopped) &&
		sprof_clock_now_ns() < deadline_ns) {
		struct sprof_event event = sprof_target_next_event(trial->target, deadline_ns);

		answer(trial, &event);
	}
}

/* A call for a rest has more stops before it waits. */
static void serve_until_call(struct trial *trial)
{
	const uint64_t limit = sprof_clock_now_ns() + scene_limit_ns();

	while (!is_waiting(trial) && !has_ended(trial)) {
		assert_true(sprof_clock_now_ns() < limit);
		serve(trial, sprof_clock_now_ns() + SPROF_NS_PER_MS, false);
	}
}

/* On a busy machine a call's time may be over before the stop comes, and its process gone before the attach. */
static bool was_late(const struct trial *trial)
{
	const struct said *said = trial->stage.said;

	if (!trial->call->is_timed)
		return false;
	return trial->was_stopped ? trial->stopped_ns >= said->begin_ns + span_ns
				  : has_ended(trial);
}

static bool attach(struct trial *trial)
{
	struct sprof_target_options options = {.follow_children = false};
	struct sprof_error err;

	sigemptyset(&options.control);
	sigemptyset(&options.child_mask);
	assert_true(sprof_target_create(&options, &trial->target, &err));
	if (sprof_target_attach(trial->target, trial->stage.child, &err))
		return true;
	assert_true(was_late(trial));
	waitpid(trial->stage.child, NULL, __WALL);
	return false;
}

static void stop_in_call(struct trial *trial)
{
	const struct call *call = trial->call;
	struct sprof_thread **threads;
	size_t count;

	if (call->is_timed)
		serve(trial, trial->stage.said->begin_ns + span_ns / 2, false);
	threads = sprof_target_threads(trial->target, &count);
	assert_int_equal(count, 1);
	assert_true(sprof_thread_interrupt(threads[0]));
	if (call->effect == EFFECT_NONE)
		return;
	serve(trial, sprof_clock_now_ns() + scene_limit_ns(), true);
	assert_true(trial->was_stopped || was_late(trial));
	if (!call->is_busy)
		serve_until_call(trial);
}

/* What both had open. An id of System V is no descriptor, and its row has removed it. */
static void close_stage(struct stage *stage)
{
	if (stage->in)
		close(stage->in);
	if (stage->out && stage->out != stage->in)
		close(stage->out);
	if (stage->file)
		close(stage->file);
}

static void make_trial(struct trial *trial)
{
	const struct call *call = trial->call;
	struct stage *stage = &trial->stage;

	stage->said = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(stage->said != MAP_FAILED);
	if (call->prepare)
		call->prepare(stage);
	stage->child = fork();
	assert_true(stage->child >= 0);
	if (!stage->child)
		make_call(call, stage);
	wait_for_call(trial);
	if (attach(trial)) {
		stop_in_call(trial);
		if (call->end && !has_ended(trial))
			call->end(stage);
		serve(trial, sprof_clock_now_ns() + scene_limit_ns(), false);
		assert_true(trial->is_over);
	}
	sprof_target_destroy(trial->target);
	close_stage(stage);
}

/* A call that was begun anew at the stop can't end sooner than a whole time-out after it. */
static bool began_anew(const struct trial *trial)
{
	return trial->stage.said->end_ns >= trial->stopped_ns + span_ns;
}

/*
 * The kernel has no such call, or not with such arguments: then it never waits, and is not stopped
 * in it.
 */
static bool is_unknown(const struct trial *trial)
{
	return !trial->was_stopped && trial->stage.said->result == -ENOSYS;
}

/* Some kernels don't show what it would take to begin a call anew (attach/regs/aarch64.c). On the others, every row
 * must be repaired. */
static bool is_beyond_repair(const struct trial *trial)
{
	const long result = trial->stage.said->result, wanted = trial->call->result;
	const bool is_it = !trial->was_repaired && result != wanted && wanted != A_PART &&
		(result == -EINTR || (result > 0 && result < wanted)) &&
		kernel_hides_first_argument();

	if (is_it)
		print_message("%s: %ld, which this kernel doesn't let us repair\n",
			trial->call->name, result);
	return is_it;
}

static void expect_result(const struct trial *trial)
{
	const struct said *said = trial->stage.said;

	assert_true(has_ended(trial));
	if (trial->call->result == A_PART)
		assert_true(said->result > 0 && said->result < WHOLE);
	else
		assert_int_equal(said->result, trial->call->result);
	assert_int_equal(said->has_rem, trial->call->effect == EFFECT_REM);
	/* mq_timedreceive(2) has a time of CLOCK_REALTIME, which may be adjusted to run up to 1/1000 faster. */
	if (trial->call->is_timed)
		assert_true(said->end_ns - said->begin_ns >= span_ns - span_ns / 1000);
}

/* Where poll(2) is made by ppoll(2), it goes on without restart_syscall(2). */
static bool begins_anew(const struct call *call)
{
	return call->effect == EFFECT_ANEW && call->number != SYS_ppoll;
}

/* A machine that is late behind the stop makes a call look as if it had begun anew, never the other way about. */
static void a_stop_in_the_call(void **state)
{
	const struct call *call = *state;
	bool anew = true, is_tried = false;

	for (int i = 0; i < TRIES && (anew || !is_tried); i++) {
		struct trial trial = {.call = call};

		make_trial(&trial);
		if (is_unknown(&trial) || is_beyond_repair(&trial)) {
			munmap(trial.stage.said, PAGE);
			skip();
		}
		if (!was_late(&trial)) {
			expect_result(&trial);
			is_tried = true;
			anew = call->is_timed && began_anew(&trial);
		}
		munmap(trial.stage.said, PAGE);
		if (is_tried && begins_anew(call))
			break;
	}
	assert_true(is_tried);
	assert_int_equal(anew, begins_anew(call));
}

static size_t add(struct CMUnitTest *tests, const struct call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		tests[i] = (struct CMUnitTest){.name = calls[i].name,
			.test_func = a_stop_in_the_call,
			.initial_state = (void *)(uintptr_t)&calls[i]};
	return count;
}

TEST_MAIN("calls")
{
	size_t count = transfer_call_count + wait_call_count;
	struct CMUnitTest *tests = calloc(count, sizeof(*tests));
	sigset_t blocked;
	int failed;

	/* As sprof does. */
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	add(tests + add(tests, transfer_calls, transfer_call_count), wait_calls, wait_call_count);
	failed = _cmocka_run_group_tests("calls", tests, count, NULL, NULL);
	free(tests);
	return failed;
}
