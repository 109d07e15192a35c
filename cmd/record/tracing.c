/* The tracing thread: launch, sampling and release in order. The sink uses the samples. */
#include "cmd/record/tracing.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/ui.h"
#include "interp/interp.h"

enum {
	CALLS_END_NS = 10 * SPROF_NS_PER_MS,
	HOLDS_END_NS = SPROF_NS_PER_S,
	RESTS_END_NS = SPROF_NS_PER_S,
};

/* If stdout and stderr are the same terminal, the user can't distinguish them. */
static bool is_one_terminal(void)
{
	struct stat out, err;

	return isatty(STDOUT_FILENO) && !fstat(STDOUT_FILENO, &out) &&
		!fstat(STDERR_FILENO, &err) && out.st_rdev == err.st_rdev &&
		out.st_ino == err.st_ino;
}

/* One that is refused refuses all: the end of this thread lets go of the others. */
static bool attach(struct sprof_tracing *tracing, struct sprof_target *target)
{
	const struct sprof_subject *subject = tracing->subject;
	const struct sprof_pids *pids = subject->tids ? subject->tids : subject->pids;

	if (!pids)
		return sprof_target_attach(target, subject->pid, &tracing->error);
	for (size_t i = 0; i < pids->count; i++) {
		const pid_t id = pids->items[i];

		if (subject->tids ? !sprof_target_attach_thread(target, id, &tracing->error)
				  : !sprof_target_attach(target, id, &tracing->error))
			return false;
	}
	return true;
}

static bool begin(struct sprof_tracing *tracing, struct sprof_target *target)
{
	const struct sprof_subject *subject = tracing->subject;
	const struct sprof_launch launch = {
		.arguments = subject->arguments,
		.environment = subject->environment,
		.stdout_to_stderr = subject->stdout_to_stderr,
		.ignored = sprof_signals_ignored(),
		.filter = subject->filter,
	};

	if (!subject->arguments)
		return attach(tracing, target);
	if (!sprof_target_launch(target, &launch, &tracing->error))
		return false;
	tracing->signals->target = sprof_target_pid(target);
	if (subject->stdout_to_stderr && !is_one_terminal())
		sprof_ui_note(
			"stdout is for the report, so the output of %s goes to stderr; -o FILE leaves its stdout alone",
			subject->arguments[0]);
	return true;
}

/* Context for answering events. */
struct answering {
	struct sprof_tracing *tracing;
	const struct sprof_target *target;
};

/* A program that has ended gets no more signals: its id may belong to another process by now. */
static enum sprof_order answer_signal(void *data, const siginfo_t *info)
{
	const struct answering *answering = data;
	struct sprof_signals *signals = answering->tracing->signals;
	int status;

	if (sprof_target_ended(answering->target, &status))
		signals->target = 0;
	return sprof_signals_handle(signals, info);
}

static void say_done(void *data)
{
	const struct answering *answering = data;

	sprof_signals_done(answering->tracing->signals);
}

/* Without sampling, there is nothing to switch. */
static void answer_without_samples(struct answering *answering, const siginfo_t *info)
{
	answer_signal(answering, info);
	say_done(answering);
}

static void sample(struct sprof_tracing *tracing, struct sprof_target *target)
{
	struct answering answering = {tracing, target};
	const struct sprof_control control = {
		.data = &answering,
		.signal = answer_signal,
		.done = say_done,
	};
	struct sprof_sampler_parts parts = {
		.target = target,
		.modules = tracing->modules,
		.unwinder = tracing->unwinder,
		.sink = &tracing->sink,
		.control = &control,
		.periods = &tracing->periods,
		.events = tracing->events,
	};

	tracing->sampling_failed = !sprof_python_begin(tracing->python, tracing->modules,
					   &parts.interp, &tracing->error) ||
		!sprof_sampler_run(&parts, &tracing->sampling, &tracing->quality, &tracing->error);
	sprof_interp_destroy(parts.interp);
}

/* Prints a note about the first program of each kind that was not profiled as usual. */
static void note_programs(const struct sprof_target *target)
{
	const struct sprof_target_programs *programs = sprof_target_programs(target);

	if (programs->tracer[0])
		sprof_ui_note(
			"%s traces processes itself, and a process can have only one tracer: sprof "
			"left these processes to it",
			programs->tracer);
	if (programs->leak_checker[0])
		sprof_ui_note(
			"%s looks for leaks, and traces its own threads for that: the rest of its "
			"run is not profiled",
			programs->leak_checker);
	if (programs->narrow[0])
		sprof_ui_note(
			"%s is a 32-bit program, which sprof can't profile: it ran unprofiled, "
			"with its descendants",
			programs->narrow);
	if (programs->unprivileged[0])
		sprof_ui_note(
			"%s is set-user-ID or has capabilities, which the kernel does not grant to "
			"programs traced without CAP_SYS_PTRACE: it ran without them",
			programs->unprivileged);
}

/* Counts the processes that the program has left behind, which are released now. */
static void note_left_running(
	const struct sprof_tracing *tracing, const struct sprof_target *target)
{
	unsigned count = sprof_target_process_count(target);

	if (!tracing->subject->arguments || !tracing->program_ended || tracing->signals->ended_by ||
		!count || tracing->subject->calls)
		return;
	sprof_ui_note("%s left %u %s running, no longer profiled%s", tracing->subject->arguments[0],
		count, count == 1 ? "process" : "processes",
		tracing->subject->may_wait ? "; --wait profiles them to their end" : "");
}

static void note_denied(const struct sprof_quality *quality)
{
	if (quality->stacks[SPROF_END_DENIED])
		sprof_ui_note(
			"the program is undumpable, by PR_SET_DUMPABLE or because its file may not "
			"be read: without CAP_SYS_PTRACE, sprof can't see where its threads sleep, "
			"and %llu samples have no stack",
			(unsigned long long)quality->stacks[SPROF_END_DENIED]);
}

/* Whether the launched program has ended; keeps its status. */
static bool has_ended(struct sprof_tracing *tracing, const struct sprof_target *target)
{
	tracing->program_left = sprof_target_left(target);
	tracing->program_ended = sprof_target_ended(target, &tracing->wait_status);
	return tracing->program_ended;
}

static bool outlives_sampling(
	const struct sprof_tracing *tracing, const struct sprof_target *target)
{
	if (!tracing->begun || !tracing->subject->arguments || tracing->signals->ended_by)
		return false;
	return !tracing->program_ended ||
		(!tracing->sampling.linger_ns && sprof_target_process_count(target));
}

/* When to release a program that is no longer sampled, and its descendants. */
static uint64_t end_of_company(struct sprof_tracing *tracing, const struct sprof_target *target)
{
	const uint64_t linger_ns = tracing->sampling.linger_ns;

	return has_ended(tracing, target) && linger_ns ? sprof_clock_now_ns() + linger_ns
						       : UINT64_MAX;
}

/* Handles all events without sampling. */
static void accompany(struct sprof_tracing *tracing, struct sprof_target *target)
{
	struct answering answering = {tracing, target};
	uint64_t end_ns = end_of_company(tracing, target);

	while (!tracing->signals->ended_by) {
		struct sprof_event event = sprof_target_next_event(target, end_ns);

		if (event.kind == SPROF_EVENT_EMPTY || sprof_clock_now_ns() >= end_ns)
			break;
		if (event.kind == SPROF_EVENT_SIGNAL)
			answer_without_samples(&answering, &event.info);
		sprof_event_answer(target, &event);
		if (end_ns == UINT64_MAX)
			end_ns = end_of_company(tracing, target);
	}
	has_ended(tracing, target);
}

/*
 * Handles the next event without sampling. With keeps_traps, a stopped thread first handles a
 * pending trap. Returns false if there was no event.
 */
static bool answer_next(struct sprof_tracing *tracing, struct sprof_target *target, uint64_t end_ns,
	bool keeps_traps)
{
	struct answering answering = {tracing, target};
	struct sprof_event event = sprof_target_next_event(target, end_ns);

	if (event.kind == SPROF_EVENT_EMPTY)
		return false;
	if (event.kind == SPROF_EVENT_SIGNAL)
		answer_without_samples(&answering, &event.info);
	if (keeps_traps && event.kind == SPROF_EVENT_STOPPED &&
		sprof_thread_has_pending_trap(event.thread))
		sprof_thread_resume_to_signal(event.thread);
	else
		sprof_event_answer(target, &event);
	return true;
}

/*
 * Detaching a thread at a system call's entry wakes it there: the call returns EINTR. So threads
 * that stop at calls first run on without call stops. A thread that only computes is not affected.
 */
static void end_calls(struct sprof_tracing *tracing, struct sprof_target *target)
{
	const uint64_t end_ns = sprof_clock_now_ns() + CALLS_END_NS;

	if (!tracing->subject->calls)
		return;
	sprof_target_end_calls(target);
	while (sprof_clock_now_ns() < end_ns && answer_next(tracing, target, end_ns, false))
		;
}

/*
 * Interrupts threads that may have hit a breakpoint and not reported it yet. Sleeping ones have
 * not.
 */
static void interrupt_runners(struct sprof_target *target)
{
	struct sprof_thread **threads;
	struct sprof_proc_stat stat;
	size_t count;

	threads = sprof_target_threads(target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->phase == SPROF_THREAD_RUNNING &&
			sprof_thread_read_stat(threads[i], &stat) &&
			(stat.state != 'S' || threads[i]->passing) && !sprof_proc_is_worker(&stat))
			(void)!sprof_thread_interrupt(threads[i]);
	}
}

/* Whether a stop is expected, or was reported and not answered. */
static bool is_any_stopping(const struct sprof_target *target)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->phase == SPROF_THREAD_INTERRUPTED ||
			threads[i]->phase == SPROF_THREAD_STOPPED)
			return true;
	}
	return false;
}

/*
 * Breakpoints are gone from the code, but a thread may just have come to one: once each thread has
 * stopped without a trap that is pending, none has.
 */
static void end_holds(struct sprof_tracing *tracing, struct sprof_target *target)
{
	const uint64_t end_ns = sprof_clock_now_ns() + HOLDS_END_NS;

	if (!tracing->subject->holds)
		return;
	interrupt_runners(target);
	while (is_any_stopping(target) && sprof_clock_now_ns() < end_ns &&
		answer_next(tracing, target, end_ns, true))
		;
}

static bool is_any_unfinished(const struct sprof_target *target)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->remainder.is_on)
			return true;
	}
	return false;
}

/*
 * Gives calls that one of sprof's stops has interrupted time to finish their restarted remainder.
 */
static void finish_calls(struct sprof_tracing *tracing, struct sprof_target *target)
{
	const uint64_t end_ns = sprof_clock_now_ns() + RESTS_END_NS;

	while (is_any_unfinished(target) && sprof_clock_now_ns() < end_ns &&
		answer_next(tracing, target, end_ns, false))
		;
}

static bool have_stacks(const struct sprof_event_source *const *events)
{
	for (; events && *events; events++) {
		if ((*events)->offer)
			return true;
	}
	return false;
}

static void *trace(void *data)
{
	struct sprof_tracing *tracing = data;
	const struct sprof_target_options options = {
		.follow_children = tracing->subject->follow_children,
		.chosen_threads = tracing->subject->tids,
		.control = tracing->signals->control,
		.calls = tracing->subject->calls,
		.births = tracing->sampling.by_kernel || tracing->events,
		.tasks = tracing->subject->tasks,
		.holds = tracing->subject->holds,
		.resumes = tracing->sampling.exact_waits,
		.standing = !tracing->sampling.no_samples,
		.modules = have_stacks(tracing->events) ? tracing->modules : NULL,
		.child_mask = tracing->signals->original,
	};
	struct sprof_target *target = NULL;

	if (sprof_target_create(&options, &target, &tracing->error)) {
		tracing->watched.target = target;
		tracing->watched.begin_ns = sprof_clock_now_ns();
		tracing->watched.tid = gettid();
		tracing->begun = begin(tracing, target);
	}
	if (tracing->begun) {
		sample(tracing, target);
		end_calls(tracing, target);
		end_holds(tracing, target);
		note_programs(target);
		note_denied(&tracing->quality);
		has_ended(tracing, target);
	}
	/* From here on the sink's owner writes; a snapshot would disturb that. */
	tracing->signals->snapshot = NULL;
	tracing->goes_on = outlives_sampling(tracing, target);
	sem_post(&tracing->sampled);
	if (tracing->goes_on)
		accompany(tracing, target);
	if (tracing->begun) {
		finish_calls(tracing, target);
		note_left_running(tracing, target);
	}
	sprof_target_destroy(target);
	return NULL;
}

/* The program was released, and no other thread of sprof is left. */
static void go_on_as_copy(struct sprof_tracing *tracing)
{
	sprof_hang_end(&tracing->watched, tracing->signals->target, &tracing->error);
	tracing->quality.duration_ns = sprof_clock_now_ns() - tracing->watched.begin_ns;
	tracing->hung = true;
	tracing->sampling_failed = true;
	tracing->goes_on = false;
	tracing->program_left = tracing->subject->arguments;
	tracing->signals->reader = NULL;
	tracing->signals->snapshot = NULL;
}

bool sprof_tracing_sample(struct sprof_tracing *tracing, struct sprof_error *err)
{
	int errnum;

	sem_init(&tracing->sampled, 0, 0); /* fails only for values above SEM_VALUE_MAX */
	errnum = pthread_create(&tracing->thread, NULL, trace, tracing);
	if (errnum)
		return sprof_error_errno(err, errnum, "start a thread");
	if (tracing->has_screen) {
		while (sem_wait(&tracing->sampled) && errno == EINTR)
			;
	} else if (!sprof_hang_wait(&tracing->watched, &tracing->sampled)) {
		go_on_as_copy(tracing);
	}
	return true;
}

void sprof_tracing_finish(struct sprof_tracing *tracing)
{
	if (tracing->hung)
		return;
	pthread_join(tracing->thread, NULL);
	sem_destroy(&tracing->sampled);
}
