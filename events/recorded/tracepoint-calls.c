/*
 * One struct open_calls per thread, fed with tracepoint records instead of ptrace stops. Does not
 * handle calls of 32-bit programs: their numbers differ.
 */
#include "events/recorded/tracepoint-calls.h"

#include <stdlib.h>
#include <sys/syscall.h>

#include "base/array.h"

void sprof_tracepoint_calls_finish(struct sprof_tracepoint_calls *calls)
{
	sprof_idmap_finish(&calls->index);
	free(calls->threads);
	*calls = (struct sprof_tracepoint_calls){0};
}

/* One that isn't known has an id, which only one thread has as long as it lives. */
static uint64_t low_key_of(uint32_t thread, pid_t tid)
{
	return thread == SPROF_TRACE_FOREIGN ? (uint64_t)1 << 32 | (uint32_t)tid : thread;
}

static struct tracepoint_caller *find(
	const struct sprof_tracepoint_calls *calls, const struct sprof_trace_event *event)
{
	uint32_t index = sprof_idmap_find(&calls->index, 0, low_key_of(event->thread, event->tid));

	return index == SPROF_IDMAP_NONE ? NULL : &calls->threads[index];
}

/* Returns NULL if out of memory. */
static struct tracepoint_caller *append(
	struct sprof_tracepoint_calls *calls, const struct tracepoint_caller *new)
{
	if (!sprof_array_reserve(
		    &calls->threads, &calls->capacity, calls->count + 1, sizeof(*calls->threads)) ||
		!sprof_idmap_put(&calls->index, 0, low_key_of(new->thread, new->tid),
			(uint32_t)calls->count))
		return NULL;
	calls->threads[calls->count] = *new;
	return &calls->threads[calls->count++];
}

/* The last entry moves to its place. Its key is in the map already, so no memory is needed. */
static bool forget(struct sprof_tracepoint_calls *calls, struct tracepoint_caller *thread)
{
	const struct tracepoint_caller *last = &calls->threads[--calls->count];
	const uint32_t index = (uint32_t)(thread - calls->threads);

	sprof_idmap_remove(&calls->index, 0, low_key_of(thread->thread, thread->tid));
	if (thread == last)
		return true;
	*thread = *last;
	return sprof_idmap_put(&calls->index, 0, low_key_of(thread->thread, thread->tid), index);
}

bool sprof_tracepoint_calls_found(struct sprof_tracepoint_calls *calls,
	const struct sprof_thread *thread, const struct open_call *call)
{
	const struct tracepoint_caller new = {
		.thread = thread->id,
		.pid = thread->process->pid,
		.tid = thread->tid,
		.is_older = !thread->born,
	};
	struct tracepoint_caller *added = append(calls, &new);

	if (added && call)
		sprof_open_calls_found(&added->open_calls, call);
	return added;
}

static bool give(const struct sprof_tracepoint_calls *calls, const struct tracepoint_caller *thread,
	int cpu, struct sprof_call *call)
{
	call->thread = thread->thread;
	call->pid = thread->pid;
	call->tid = thread->tid;
	call->cpu = cpu;
	return calls->listener.call(calls->listener.data, call);
}

static bool pass_begin(const struct sprof_tracepoint_calls *calls,
	const struct tracepoint_caller *thread, int cpu, uint64_t now_ns)
{
	struct sprof_call call;

	if (!calls->listener.begin || !sprof_open_calls_present(&thread->open_calls, now_ns, &call))
		return true;
	call.end_ns = 0;
	call.thread = thread->thread;
	call.pid = thread->pid;
	call.tid = thread->tid;
	call.cpu = cpu;
	return calls->listener.begin(calls->listener.data, &call);
}

static bool enter(struct sprof_tracepoint_calls *calls, struct tracepoint_caller *thread,
	const struct sprof_trace_event *event)
{
	struct sprof_call_state state = {.stop = SPROF_CALL_ENTRY,
		.arch = sprof_call_native_arch(),
		.number = event->fields[0].integer};
	const struct open_calls_stop stop = {&state, event->time_ns, false};
	struct sprof_call ended;
	enum open_calls_entry how;

	for (size_t i = 0; i < SPROF_TRACE_ARGUMENTS; i++)
		state.arguments[i] = (uint64_t)event->fields[1 + i].integer;
	while (sprof_open_calls_settle(&thread->open_calls, &stop, &ended)) {
		if (!give(calls, thread, event->cpu, &ended))
			return false;
	}
	how = sprof_open_calls_enter(&thread->open_calls, &stop);
	if (event->stack)
		sprof_open_calls_set_stack(&thread->open_calls, (uint32_t)event->stack);
	calls->ended_unseen += how == OPEN_CALLS_BEGINS_UNSEEN;
	return how == OPEN_CALLS_GOES_ON || pass_begin(calls, thread, event->cpu, event->time_ns);
}

/*
 * Before its tracepoints were recorded, the thread may have left the call that it was found in, and
 * blocked in another one.
 */
static void check_found(struct sprof_tracepoint_calls *calls, struct tracepoint_caller *thread,
	const struct sprof_trace_event *exit)
{
	const struct open_call *found = &thread->open_calls.calls[0];
	const int64_t number = exit->fields[0].integer;

	if (thread->open_calls.depth && number != found->number && number != SYS_restart_syscall)
		thread->open_calls.depth = 0;
	calls->ended_unseen += !thread->open_calls.depth;
}

static bool leave(struct sprof_tracepoint_calls *calls, struct tracepoint_caller *thread,
	const struct sprof_trace_event *event)
{
	const int64_t result = event->fields[1].integer;
	const struct sprof_call_state state = {.stop = SPROF_CALL_EXIT,
		.arch = sprof_call_native_arch(),
		.result = result,
		.is_error = sprof_call_result_is_error(result)};
	const struct open_calls_stop stop = {&state, event->time_ns, false};
	struct sprof_call call;

	if (thread->is_older)
		check_found(calls, thread, event);
	if (!sprof_open_calls_leave(&thread->open_calls, &stop, &call))
		return true;
	if (!give(calls, thread, event->cpu, &call))
		return false;
	return call.number != SYS_rt_sigreturn ||
		!sprof_open_calls_returned(&thread->open_calls, &stop, &call) ||
		give(calls, thread, event->cpu, &call);
}

bool sprof_tracepoint_calls_add(
	struct sprof_tracepoint_calls *calls, const struct sprof_trace_event *event)
{
	const struct tracepoint_caller new = {
		.thread = event->thread, .pid = event->pid, .tid = event->tid};
	struct tracepoint_caller *thread = find(calls, event);
	bool has_memory;

	if (!thread)
		thread = append(calls, &new);
	if (!thread)
		return false;
	/* An exec may have changed its tid. */
	thread->tid = event->thread == SPROF_TRACE_FOREIGN ? thread->tid : event->tid;
	has_memory = event->type == SPROF_TRACE_SYS_ENTER ? enter(calls, thread, event)
							  : leave(calls, thread, event);
	thread->is_older = false;
	return has_memory;
}

static bool close_calls(const struct sprof_tracepoint_calls *calls,
	struct tracepoint_caller *thread, enum sprof_call_ending ending, uint64_t now_ns)
{
	struct sprof_call call;

	while (sprof_open_calls_close(&thread->open_calls, ending, now_ns, &call)) {
		if (!give(calls, thread, -1, &call))
			return false;
	}
	return true;
}

bool sprof_tracepoint_calls_end(
	struct sprof_tracepoint_calls *calls, const struct sprof_trace_event *end)
{
	struct tracepoint_caller *thread = find(calls, end);

	return !thread ||
		(close_calls(calls, thread, SPROF_CALL_CUT, end->time_ns) && forget(calls, thread));
}

void sprof_tracepoint_calls_gap(struct sprof_tracepoint_calls *calls)
{
	for (size_t i = 0; i < calls->count; i++)
		calls->threads[i].open_calls.depth = 0;
}

bool sprof_tracepoint_calls_close(struct sprof_tracepoint_calls *calls, uint64_t now_ns)
{
	for (size_t i = 0; i < calls->count; i++) {
		if (!close_calls(calls, &calls->threads[i], SPROF_CALL_OPEN, now_ns))
			return false;
	}
	return true;
}
