/*
 * One caller for each thread, to which the tracepoints are what stops are under ptrace. Does not
 * handle calls of 32-bit programs, whose numbers mean something else.
 */
#include "events/tracepoint-calls.h"

#include <stdlib.h>
#include <sys/syscall.h>

#include "base/array.h"

enum { ERRNO_MAX = 4095 }; /* include/linux/err.h, MAX_ERRNO */

void sprof_tracepoint_calls_finish(struct sprof_tracepoint_calls *calls)
{
	sprof_idmap_finish(&calls->index);
	free(calls->callers);
	*calls = (struct sprof_tracepoint_calls){0};
}

/* NULL: no memory. */
static struct caller *caller_of(struct sprof_tracepoint_calls *calls, pid_t tid)
{
	uint32_t index = sprof_idmap_find(&calls->index, 0, (uint64_t)tid);

	if (index != SPROF_IDMAP_NONE)
		return &calls->callers[index];
	if (!sprof_array_reserve(
		    &calls->callers, &calls->capacity, calls->count + 1, sizeof(*calls->callers)) ||
		!sprof_idmap_put(&calls->index, 0, (uint64_t)tid, (uint32_t)calls->count))
		return NULL;
	calls->callers[calls->count] = (struct caller){0};
	return &calls->callers[calls->count++];
}

/* The end of a call, in place of the kernel's event. */
static bool give_end(const struct sprof_trace_event *event, const struct sprof_call *call,
	const struct sprof_trace_sink *sink)
{
	const struct sprof_trace_value values[] = {
		{.integer = call->number}, {.integer = call->result}};
	struct sprof_trace_event end = *event;

	end.type = SPROF_TRACE_SYS_EXIT;
	end.time_ns = call->end_ns;
	end.fields = values;
	return sink->event(sink->data, &end);
}

static bool enter(struct caller *caller, const struct sprof_trace_event *event,
	const struct sprof_trace_sink *sink)
{
	struct sprof_call_state state = {.stop = SPROF_CALL_ENTRY,
		.arch = sprof_call_native_arch(),
		.number = event->fields[0].integer};
	const struct caller_stop stop = {&state, event->time_ns, false};
	struct sprof_call ended;

	for (size_t i = 0; i < SPROF_TRACE_ARGUMENTS; i++)
		state.arguments[i] = (uint64_t)event->fields[1 + i].integer;
	while (sprof_caller_settle(caller, &stop, &ended)) {
		if (!give_end(event, &ended, sink))
			return false;
	}
	return sprof_caller_enter(caller, &stop) == CALLER_GOES_ON ||
		sink->event(sink->data, event);
}

static bool leave(struct caller *caller, const struct sprof_trace_event *event,
	const struct sprof_trace_sink *sink)
{
	const int64_t result = event->fields[1].integer;
	const struct sprof_call_state state = {.stop = SPROF_CALL_EXIT,
		.arch = sprof_call_native_arch(),
		.result = result,
		.is_error = result < 0 && result >= -ERRNO_MAX};
	const struct caller_stop stop = {&state, event->time_ns, false};
	struct sprof_call call;

	if (!sprof_caller_leave(caller, &stop, &call))
		return true;
	if (!give_end(event, &call, sink))
		return false;
	return call.number != SYS_rt_sigreturn || !sprof_caller_returned(caller, &stop, &call) ||
		give_end(event, &call, sink);
}

bool sprof_tracepoint_calls_add(struct sprof_tracepoint_calls *calls,
	const struct sprof_trace_event *event, const struct sprof_trace_sink *sink)
{
	struct caller *caller = caller_of(calls, event->tid);

	if (!caller)
		return false;
	return event->type == SPROF_TRACE_SYS_ENTER ? enter(caller, event, sink)
						    : leave(caller, event, sink);
}
