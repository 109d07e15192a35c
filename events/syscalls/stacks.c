/*
 * Stacks of system calls: which calls get one, and when. The stack is the same from the call's
 * begin to its end, so one copy is enough, and a blocked thread need not stop for it. The sampler's
 * loop copies and walks (struct sprof_event_stacks).
 */
#include <sys/syscall.h>

#include "base/clock.h"
#include "events/syscalls/state.h"

enum { SLOW_LOOK_NS = 10 * SPROF_NS_PER_MS }; /* at least, between two looks for slow calls */

void sprof_call_stack_expect(
	struct sprof_calls *calls, struct sprof_thread *thread, struct watched_thread *watched)
{
	if (!calls->stacks || watched->is_expected)
		return;
	watched->is_expected = true;
	if (!calls->stacks->expect(calls->stacks->data, thread))
		calls->out_of_memory = true;
}

/* All threads that are there; those that are born later, at their first stop. */
bool sprof_call_stacks_take(void *data, const struct sprof_event_stacks *stacks)
{
	struct sprof_calls *calls = data;
	struct sprof_thread **threads;
	size_t count;

	if (!calls->listener.wants_stack)
		return true;
	calls->stacks = stacks;
	if (calls->options.slow_ns != UINT64_MAX)
		calls->next_slow_ns = calls->begin_ns + calls->options.slow_ns;
	threads = sprof_target_threads(calls->target, &count);
	for (size_t i = 0; i < count; i++) {
		struct watched_thread *watched = sprof_calls_watch(calls, threads[i]);

		if (watched)
			sprof_call_stack_expect(calls, threads[i], watched);
	}
	return !calls->out_of_memory;
}

/* Whether the open call should have a stack, but has none yet. */
static bool lacks_stack(
	const struct sprof_calls *calls, const struct watched_thread *watched, uint64_t now_ns)
{
	struct sprof_call call;

	return calls->stacks && watched &&
		sprof_open_calls_present(&watched->open_calls, now_ns, &call) && !call.stack &&
		calls->listener.wants_stack(calls->listener.data, &call);
}

/*
 * Most threads were prepared at an earlier stop, so this takes little time. But the state of an
 * interpreter may exist only by now.
 */
static bool copy(struct sprof_calls *calls, struct sprof_thread *thread, bool is_last)
{
	struct watched_thread *watched = sprof_calls_watch(calls, thread);

	if (!watched)
		return false;
	watched->is_expected = false;
	sprof_call_stack_expect(calls, thread, watched);
	return calls->stacks->copy(calls->stacks->data, thread, is_last);
}

/* Behind such a call there may be no memory to ask about. */
static bool ends_program(const struct sprof_call *call)
{
	return sprof_call_is_native(call) &&
		(call->number == SYS_exit_group || call->number == SYS_exit ||
			call->number == SYS_execve || call->number == SYS_execveat);
}

bool sprof_call_stack_copy(
	struct sprof_calls *calls, struct sprof_thread *thread, const struct sprof_call *call)
{
	return calls->listener.wants_stack(calls->listener.data, call) &&
		copy(calls, thread, ends_program(call));
}

bool sprof_call_stack_copy_present(
	struct sprof_calls *calls, struct sprof_thread *thread, uint64_t now_ns)
{
	return lacks_stack(calls, thread->calls, now_ns) && copy(calls, thread, false);
}

uint32_t sprof_call_stack_walk(struct sprof_calls *calls)
{
	uint32_t stack = 0;

	if (!calls->stacks->walk(calls->stacks->data, &stack))
		calls->out_of_memory = true;
	return stack;
}

void sprof_call_stack_peek(struct sprof_calls *calls, struct sprof_thread *thread, uint64_t now_ns)
{
	struct watched_thread *watched = thread->calls;

	if (lacks_stack(calls, watched, now_ns) && calls->stacks->peek(calls->stacks->data, thread))
		sprof_open_calls_set_stack(&watched->open_calls, sprof_call_stack_walk(calls));
}

void sprof_call_stacks_look(struct sprof_calls *calls, uint64_t now_ns)
{
	struct sprof_thread **threads;
	uint64_t pause, least;
	size_t count;

	threads = sprof_target_threads(calls->target, &count);
	for (size_t i = 0; i < count; i++)
		sprof_call_stack_peek(calls, threads[i], now_ns);
	pause = calls->options.slow_ns > SLOW_LOOK_NS ? calls->options.slow_ns : SLOW_LOOK_NS;
	least = (sprof_clock_now_ns() - now_ns) * CALLS_COST_SHARE;
	calls->next_slow_ns = sprof_clock_now_ns() + (pause > least ? pause : least);
}
