/*
 * unwind/ against gdb: a stopped program is the one that stands still for both. Exits with 77 where
 * there is no gdb with Python in it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/ptrace/scene.h"
#include "tests/ptrace/stacks.h"
#include "tests/unit/check.h"

enum { SKIPPED = 77, THREADS_MAX = 16, FRAMES_MAX = 200 };

/* The run-time addresses of a thread's stack. */
struct trace {
	pid_t tid;
	size_t count;
	uint64_t pcs[FRAMES_MAX];
};

struct traces {
	struct trace items[THREADS_MAX];
	size_t count;
};

static struct trace *trace_of(struct traces *traces, pid_t tid)
{
	for (size_t i = 0; i < traces->count; i++) {
		if (traces->items[i].tid == tid)
			return &traces->items[i];
	}
	assert_true(traces->count < THREADS_MAX);
	traces->items[traces->count].tid = tid;
	return &traces->items[traces->count++];
}

static void add_frame(struct traces *traces, pid_t tid, uint64_t pc)
{
	struct trace *trace = trace_of(traces, tid);

	assert_true(trace->count < FRAMES_MAX);
	trace->pcs[trace->count++] = pc;
}

/* Beyond main, but without what gdb infers: inlined functions, and callers that a tail call has
 * left. */
static void ask_gdb(pid_t pid, struct traces *traces)
{
	static const char format[] =
		"gdb -nx -nh -batch -iex 'set debuginfod enabled off' -ex 'set backtrace past-main "
		"on' "
		"-ex 'set backtrace past-entry on' -p %d -ex 'python exec(\""
		"for t in gdb.selected_inferior().threads():\\n"
		"    t.switch()\\n"
		"    f = gdb.newest_frame()\\n"
		"    while f:\\n"
		"        if f.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):\\n"
		"            print(\\\"frame %%d %%x\\\" %% (t.ptid[1], f.pc()))\\n"
		"        f = f.older()\\n"
		"\")' 2>&1";
	char command[1024], line[1024];
	unsigned long pc;
	FILE *output;
	int tid;

	snprintf(command, sizeof(command), format, pid);
	output = popen(command, "r");
	assert_non_null(output);
	while (fgets(line, sizeof(line), output)) {
		if (sscanf(line, "frame %d %lx", &tid, &pc) == 2)
			add_frame(traces, tid, pc);
	}
	pclose(output);
}

/* One stack of every thread of the process. */
static void walk_all(struct scene *scene, struct stacks *stacks, struct traces *traces)
{
	for (size_t i = scene_thread_count(scene); i-- > 0;) {
		stacks_take(stacks, scene);
		assert_int_equal(stacks->stack.end, SPROF_END_ROOT);
		for (size_t j = 0; traces && j < stacks->stack.count; j++)
			add_frame(traces, stacks->tid,
				stacks_frame_pc(stacks, &stacks->stack.frames[j]));
	}
}

/* The process is stopped, and stays so when it is let go of. */
static void walk_all_stopped(struct scene *scene, struct traces *traces)
{
	struct stacks *stacks = stacks_create();

	scene_attach(scene);
	walk_all(scene, stacks, NULL); /* so that none has only just been born */
	kill(scene->pid, SIGSTOP);
	scene_serve(scene, scene_all_listen);
	walk_all(scene, stacks, traces);
	scene_serve(scene, scene_all_listen);
	stacks_destroy(stacks);
	scene_end_tracer(scene);
	wait_for_no_tracer(scene->pid);
}

static void compare(struct traces *ours, struct traces *theirs)
{
	assert_int_equal(ours->count, theirs->count);
	for (size_t i = 0; i < ours->count; i++) {
		const struct trace *our = &ours->items[i], *their = trace_of(theirs, our->tid);

		for (size_t j = 0; j < our->count && j < their->count; j++)
			assert_true(our->pcs[j] == their->pcs[j]);
		assert_int_equal(our->count, their->count);
	}
}

static void compare_with_gdb(struct scene *scene)
{
	struct traces *both = calloc(2, sizeof(*both));

	assert_non_null(both);
	walk_all_stopped(scene, &both[0]);
	ask_gdb(scene->pid, &both[1]);
	compare(&both[0], &both[1]);
	free(both);
}

static void threads_that_compute_and_wait(void **state)
{
	scene_start(*state, "answer", "3");
	compare_with_gdb(*state);
}

static void a_recursion(void **state)
{
	scene_start(*state, "deep", "150");
	compare_with_gdb(*state);
}

static void a_signal_handler(void **state)
{
	scene_start(*state, "signal-frame", "raise");
	compare_with_gdb(*state);
}

static void an_interpreter(void **state)
{
	char program[] = "/usr/bin/python3", option[] = "-c";
	char script[] = "import json, sys, threading\n"
			"def work():\n"
			"    while True: json.dumps(json.loads('[1, {\"a\": [2]}]'), indent=1)\n"
			"threading.Thread(target=work, daemon=True).start()\n"
			"print('ready', flush=True)\n"
			"sys.stdin.read()\n";
	char *arguments[] = {program, option, script, NULL};

	if (access(program, X_OK))
		skip(); /* not installed */
	scene_start_command(*state, arguments);
	compare_with_gdb(*state);
}

TEST_MAIN("gdb")
{
#define traced(test) cmocka_unit_test_setup_teardown(test, scene_create, scene_destroy)
	const struct CMUnitTest tests[] = {
		traced(threads_that_compute_and_wait),
		traced(a_recursion),
		traced(a_signal_handler),
		traced(an_interpreter),
	};

	if (system("gdb -nx -nh -batch -ex 'python print(1)' 2>/dev/null | grep -q 1") != 0) {
		print_message("skipped: there is no gdb with Python\n");
		return getenv("SPROF_TESTS_MUST_RUN") ? 1 : SKIPPED;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
