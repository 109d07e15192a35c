/*
 * System calls by ptrace stops. Does not interpret the calls, nor choose those that a filter
 * selects.
 *
 * A thread of an attached process is traced from its first stop on. A sleeping thread is not woken
 * for that; a stop is requested when it is first seen running.
 */
#include "events/syscalls/calls.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "attach/calls/stop.h"
#include "attach/regs/regs.h"
#include "base/clock.h"
#include "events/syscalls/sleeping-call.h"
#include "events/syscalls/state.h"

enum {
	/* A thread that runs now and then is soon found running. Others may sleep for hours. */
	FIRST_LOOK_NS = 200 * SPROF_NS_PER_US,
	LATER_LOOK_NS = 5 * SPROF_NS_PER_MS,
	LATER_NS = SPROF_NS_PER_S,
};

struct sprof_calls *sprof_calls_create(
	const struct sprof_calls_options *options, const struct sprof_calls_listener *listener)
{
	struct sprof_calls *calls = calloc(1, sizeof(*calls));

	if (!calls)
		return NULL;
	calls->options = *options;
	calls->listener = *listener;
	calls->next_look_ns = calls->next_slow_ns = UINT64_MAX;
	return calls;
}

void sprof_calls_destroy(struct sprof_calls *calls)
{
	free(calls);
}

struct sprof_calls_gaps sprof_calls_gaps(const struct sprof_calls *calls)
{
	return calls->gaps;
}

static void set_thread(struct sprof_call *call, const struct sprof_thread *thread)
{
	call->thread = thread->id;
	call->pid = thread->process->pid;
	call->tid = thread->tid;
	call->cpu = -1;
}

static void report(
	struct sprof_calls *calls, const struct sprof_thread *thread, struct sprof_call *call)
{
	set_thread(call, thread);
	if (!calls->listener.call(calls->listener.data, call))
		calls->out_of_memory = true;
}

/* A call that begins at this stop. */
static struct sprof_call begin_of(const struct sprof_call_state *state, uint64_t now_ns)
{
	struct sprof_call call = {.arch = state->arch, .number = state->number, .begin_ns = now_ns};

	memcpy(call.arguments, state->arguments, sizeof(call.arguments));
	return call;
}

static void report_begin(struct sprof_calls *calls, const struct sprof_thread *thread,
	const struct open_calls_stop *entry, uint32_t stack)
{
	struct sprof_call call = begin_of(entry->state, entry->now_ns);

	set_thread(&call, thread);
	call.stack = stack;
	if (!calls->listener.begin(calls->listener.data, &call))
		calls->out_of_memory = true;
}

static void enter(struct sprof_calls *calls, struct sprof_thread *thread,
	const struct open_calls_stop *entry, uint32_t stack)
{
	struct watched_thread *watched = thread->calls;
	struct sprof_call ended;
	enum open_calls_entry how;

	while (sprof_open_calls_settle(&watched->open_calls, entry, &ended))
		report(calls, thread, &ended);
	how = sprof_open_calls_enter(&watched->open_calls, entry);
	calls->gaps.ended_unseen += how == OPEN_CALLS_BEGINS_UNSEEN;
	if (stack)
		sprof_open_calls_set_stack(&watched->open_calls, stack);
	if (calls->listener.begin && how != OPEN_CALLS_GOES_ON)
		report_begin(calls, thread, entry, stack);
}

static void leave(struct sprof_calls *calls, struct sprof_thread *thread,
	const struct open_calls_stop *exit, uint32_t stack)
{
	struct watched_thread *watched = thread->calls;
	struct sprof_call call;

	if (stack)
		sprof_open_calls_set_stack(&watched->open_calls, stack);
	if (!sprof_open_calls_leave(&watched->open_calls, exit, &call))
		return;
	report(calls, thread, &call);
	if (call.number == SYS_rt_sigreturn &&
		sprof_open_calls_returned(&watched->open_calls, exit, &call))
		report(calls, thread, &call);
}

/* A call that another filter wants a tracer for fails without one (seccomp(2), ENOSYS). */
static bool is_for_us(const struct sprof_calls *calls, const struct sprof_call_state *state)
{
	if (state->stop == SPROF_CALL_SECCOMP)
		return calls->options.is_selected &&
			state->filter_value == calls->options.filter_value;
	return state->stop == SPROF_CALL_ENTRY && !calls->options.is_selected;
}

/*
 * The first stop of a thread that was inside a call. A newborn thread leaves its parent's clone(2),
 * or the launcher's execve(2), which is not a call of the thread.
 */
static bool is_left_call(const struct sprof_thread *thread, const struct sprof_call_state *state)
{
	const struct watched_thread *watched = thread->calls;

	return state->stop == SPROF_CALL_EXIT && !thread->born && (!watched || !watched->is_traced);
}

static void find_left_call(struct sprof_calls *calls, struct sprof_thread *thread,
	const struct sprof_call_state *state, int64_t number)
{
	struct watched_thread *watched = thread->calls;

	sprof_open_calls_found(&watched->open_calls,
		&(struct open_call){
			.arch = state->arch,
			.number = number,
			.sp = state->sp,
			.begin_ns = calls->begin_ns,
			.was_before = true,
		});
}

/* The kernel's description of a stop, read while the thread is stopped. */
struct seen_stop {
	struct sprof_call_state state;
	uint64_t now_ns;
	bool is_left; /* of a call whose begin was missed: */
	int64_t left_number;
	bool is_copied; /* its thread's stack */
};

static bool copy_stack(
	struct sprof_calls *calls, struct sprof_thread *thread, const struct seen_stop *seen)
{
	struct sprof_call call;

	if (!calls->stacks)
		return false;
	if (seen->state.stop == SPROF_CALL_EXIT)
		return sprof_call_stack_copy_present(calls, thread, seen->now_ns);
	if (!is_for_us(calls, &seen->state))
		return false;
	call = begin_of(&seen->state, seen->now_ns);
	call.end_ns = seen->now_ns;
	return sprof_call_stack_copy(calls, thread, &call);
}

static bool look_at_stop(
	struct sprof_calls *calls, struct sprof_thread *thread, struct seen_stop *ret)
{
	ret->now_ns = sprof_clock_now_ns();
	if (ret->state.stop == SPROF_CALL_NONE && !sprof_thread_read_call(thread, &ret->state))
		return false;
	ret->is_left = is_left_call(thread, &ret->state);
	if (ret->is_left)
		ret->left_number = sprof_thread_left_call(thread);
	if (ret->state.stop == SPROF_CALL_SECCOMP && !is_for_us(calls, &ret->state))
		sprof_regs_skip_call(thread->tid);
	ret->is_copied = copy_stack(calls, thread, ret);
	return true;
}

/* Called after the thread was continued. */
static void book(
	struct sprof_calls *calls, struct sprof_thread *thread, const struct seen_stop *seen)
{
	struct watched_thread *watched = sprof_calls_watch(calls, thread);
	const struct open_calls_stop stop = {&seen->state, seen->now_ns, thread->restarted};
	uint32_t stack;

	if (!watched)
		return;
	stack = seen->is_copied ? sprof_call_stack_walk(calls) : 0;
	sprof_call_stack_expect(calls, thread, watched);
	if (seen->is_left)
		find_left_call(calls, thread, &seen->state, seen->left_number);
	if (seen->state.stop == SPROF_CALL_EXIT)
		leave(calls, thread, &stop, stack);
	else if (is_for_us(calls, &seen->state))
		enter(calls, thread, &stop, stack);
	watched->is_traced = true;
	thread->restarted = false;
}

static void take_stop(struct sprof_calls *calls, const struct sprof_event *event)
{
	struct sprof_thread *thread = event->thread;
	struct seen_stop seen = {.state = event->call};
	bool is_seen = look_at_stop(calls, thread, &seen);
	bool to_its_end = is_seen && calls->options.is_selected && is_for_us(calls, &seen.state);

	if (is_seen && seen.state.stop != SPROF_CALL_EXIT)
		seen.now_ns = sprof_clock_now_ns();
	sprof_thread_resume_call(thread, to_its_end ? SPROF_RESUME_TO_CALL : thread->habit);
	if (is_seen)
		book(calls, thread, &seen);
}

static void close_calls(struct sprof_calls *calls, struct sprof_thread *thread,
	enum sprof_call_ending ending, uint64_t now_ns)
{
	struct watched_thread *watched = thread->calls;
	struct sprof_call call;

	if (!watched)
		return;
	while (sprof_open_calls_close(&watched->open_calls, ending, now_ns, &call))
		report(calls, thread, &call);
	free(watched);
	thread->calls = NULL;
}

static void executed(struct watched_thread *watched)
{
	sprof_open_calls_executed(&watched->open_calls);
	watched->is_expected = false;
}

/*
 * At its first stop, the thread's current run is traced already. A preemption within a run counts
 * as a further run.
 */
static void count_unseen_runs(
	struct sprof_calls *calls, struct sprof_thread *thread, bool is_running)
{
	struct watched_thread *watched = thread->calls;
	struct sprof_proc_schedstat schedstat;
	uint64_t runs;

	if (!watched || !watched->is_uncounted || !sprof_thread_read_schedstat(thread, &schedstat))
		return;
	watched->is_uncounted = false;
	runs = schedstat.timeslices - watched->timeslices;
	if (runs)
		calls->gaps.runs_unseen += runs - (watched->has_slept && is_running);
}

static void take(void *data, const struct sprof_event *event)
{
	struct sprof_calls *calls = data;
	struct sprof_thread *thread = event->thread;
	struct watched_thread *watched = thread ? thread->calls : NULL;

	if (event->kind == SPROF_EVENT_STOPPED || event->kind == SPROF_EVENT_CALL)
		count_unseen_runs(calls, thread, true);
	if (event->kind == SPROF_EVENT_CALL)
		take_stop(calls, event);
	else if (event->kind == SPROF_EVENT_ENDED)
		close_calls(calls, thread, SPROF_CALL_CUT, sprof_clock_now_ns());
	else if (event->kind == SPROF_EVENT_EXEC && watched)
		executed(watched);
}

/* Stores the call that the thread sleeps in. */
static void find_call(struct sprof_calls *calls, struct sprof_thread *thread)
{
	struct watched_thread *watched = sprof_calls_watch(calls, thread);
	struct sprof_proc_schedstat schedstat;
	struct open_call open;

	if (!watched || !sprof_thread_read_schedstat(thread, &schedstat))
		return;
	watched->timeslices = schedstat.timeslices;
	watched->is_uncounted = true;
	watched->has_slept = sprof_call_find(thread, calls->begin_ns, &open);
	if (watched->has_slept)
		sprof_open_calls_found(&watched->open_calls, &open);
}

static void begin(void *data, struct sprof_target *target)
{
	struct sprof_calls *calls = data;
	struct sprof_thread **threads;
	size_t count;

	calls->target = target;
	calls->begin_ns = sprof_clock_now_ns();
	threads = sprof_target_threads(target, &count);
	for (size_t i = 0; i < count; i++) {
		if (threads[i]->born)
			continue;
		find_call(calls, threads[i]);
		calls->next_look_ns = calls->begin_ns;
	}
}

static bool is_waited_for(const struct sprof_thread *thread)
{
	const struct watched_thread *watched = thread->calls;

	return !thread->born && watched && !watched->is_traced && !watched->is_asked;
}

/* Returns true if it still sleeps. */
static bool look(struct sprof_calls *calls, struct sprof_thread *thread)
{
	struct watched_thread *watched = thread->calls;
	struct sprof_proc_syscall call;
	struct sprof_proc_stat stat;

	if (!is_waited_for(thread))
		return false;
	if (thread->phase == SPROF_THREAD_RUNNING && sprof_thread_read_syscall(thread, &call) &&
		call.kind == SPROF_PROC_SYSCALL_RUNNING && sprof_thread_read_stat(thread, &stat) &&
		!sprof_proc_is_worker(&stat))
		watched->is_asked = sprof_thread_interrupt(thread);
	return !watched->is_asked;
}

static void plan_look(struct sprof_calls *calls, uint64_t look_ns)
{
	uint64_t now = sprof_clock_now_ns(), least = (now - look_ns) * CALLS_COST_SHARE;
	uint64_t pause = now < calls->begin_ns + LATER_NS ? FIRST_LOOK_NS : LATER_LOOK_NS;

	pause = pause > least ? pause : least;
	calls->next_look_ns = calls->gaps.threads_asleep ? now + pause : UINT64_MAX;
}

static void look_for_running(struct sprof_calls *calls, uint64_t now_ns)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(calls->target, &count);
	calls->gaps.threads_asleep = 0;
	for (size_t i = 0; i < count; i++)
		calls->gaps.threads_asleep += look(calls, threads[i]);
	plan_look(calls, now_ns);
}

static bool poll_threads(void *data, uint64_t now_ns)
{
	struct sprof_calls *calls = data;

	if (now_ns >= calls->next_look_ns)
		look_for_running(calls, now_ns);
	if (now_ns >= calls->next_slow_ns)
		sprof_call_stacks_look(calls, now_ns);
	return !calls->out_of_memory;
}

static uint64_t due_ns(const void *data)
{
	const struct sprof_calls *calls = data;
	uint64_t look_ns = calls->next_look_ns, slow_ns = calls->next_slow_ns;

	if (calls->out_of_memory)
		return 0;
	return look_ns < slow_ns ? look_ns : slow_ns;
}

/* It has run since but was never found running: the call that it was in has ended. */
static void forget_ended(struct sprof_calls *calls, struct sprof_thread *thread)
{
	struct watched_thread *watched = thread->calls;
	struct sprof_proc_schedstat schedstat;

	if (!watched || watched->is_traced || !watched->open_calls.depth ||
		(sprof_thread_read_schedstat(thread, &schedstat) &&
			schedstat.timeslices == watched->timeslices))
		return;
	watched->open_calls.depth = 0;
	calls->gaps.ended_unseen++;
}

static void end(void *data, uint64_t now_ns)
{
	struct sprof_calls *calls = data;
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(calls->target, &count);
	for (size_t i = 0; i < count; i++) {
		count_unseen_runs(calls, threads[i], false);
		forget_ended(calls, threads[i]);
		sprof_call_stack_peek(calls, threads[i], now_ns);
		close_calls(calls, threads[i], SPROF_CALL_OPEN, now_ns);
	}
}

struct sprof_event_source sprof_calls_source(struct sprof_calls *calls)
{
	return (struct sprof_event_source){
		.data = calls,
		.begin = begin,
		.offer = sprof_call_stacks_take,
		.take = take,
		.due_ns = due_ns,
		.poll = poll_threads,
		.end = end,
	};
}
