/*
 * The open allocator calls of a thread. Does not handle what they do, nor a call on a signal stack
 * just below the thread's own stack.
 */
#include "events/heap/calls.h"

#include <string.h>

enum {
	REACH = 64 << 10, /* allocators need less stack; further away is another stack */
	/*
	 * No allocator calls others so often. A call that was left by longjmp() looks as if the
	 * program were within it.
	 */
	INNER_MAX = 16,
};

static bool is_within(const struct sprof_heap_call *call, uint64_t sp)
{
	return sp < call->sp && call->sp - sp < REACH;
}

static bool is_left(const struct sprof_heap_call *call, uint64_t sp)
{
	return call->sp <= sp && sp - call->sp < REACH;
}

struct sprof_heap_call *sprof_heap_calls_around(struct sprof_heap_calls *calls, uint64_t sp)
{
	for (size_t i = calls->count; i-- > 0;) {
		if (is_within(&calls->open[i], sp) && !calls->open[i].is_doubtful)
			return &calls->open[i];
	}
	return NULL;
}

static void take(struct sprof_heap_calls *calls, size_t index, struct sprof_heap_call *ret)
{
	*ret = calls->open[index];
	calls->count--;
	memmove(&calls->open[index], &calls->open[index + 1],
		(calls->count - index) * sizeof(calls->open[0]));
}

bool sprof_heap_calls_take_left(
	struct sprof_heap_calls *calls, uint64_t sp, struct sprof_heap_call *ret)
{
	for (size_t i = calls->count; i-- > 0;) {
		if (!is_left(&calls->open[i], sp))
			continue;
		take(calls, i, ret);
		return true;
	}
	return false;
}

bool sprof_heap_calls_put(struct sprof_heap_calls *calls, const struct sprof_heap_call *call,
	struct sprof_heap_call *ret_oldest)
{
	const bool is_full = calls->count == SPROF_HEAP_CALLS;

	if (is_full)
		take(calls, 0, ret_oldest);
	calls->open[calls->count++] = *call;
	calls->late = 0;
	calls->freed = 0;
	return is_full;
}

bool sprof_heap_calls_take(struct sprof_heap_calls *calls, uint64_t sp, struct sprof_heap_call *ret)
{
	for (size_t i = calls->count; i-- > 0;) {
		if (calls->open[i].sp != sp)
			continue;
		take(calls, i, ret);
		calls->late_sp = sp;
		calls->late = ret->tails;
		return true;
	}
	return false;
}

bool sprof_heap_calls_take_late(struct sprof_heap_calls *calls, uint64_t sp)
{
	if (!calls->late || calls->late_sp != sp)
		return false;
	calls->late--;
	return true;
}

bool sprof_heap_calls_free(struct sprof_heap_calls *calls, uint64_t pointer, uint64_t sp)
{
	const bool goes_on = calls->freed == pointer && sp <= calls->freed_sp;

	calls->freed = pointer;
	calls->freed_sp = sp;
	return pointer && goes_on;
}

void sprof_heap_call_count(struct sprof_heap_call *call)
{
	if (++call->inner > INNER_MAX)
		call->is_doubtful = true;
}

void sprof_heap_calls_doubt(struct sprof_heap_calls *calls, uint64_t sp)
{
	for (size_t i = 0; i < calls->count; i++)
		calls->open[i].is_doubtful |= is_within(&calls->open[i], sp);
}
