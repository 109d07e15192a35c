/*
 * Turns pairs into calls. Unlike `sprof syscalls`, does not see calls cut by a thread's end, and
 * calls open when tracing begins or ends.
 */
#include "cmd/trace/calls.h"

#include "events/syscalls/open-calls.h"

struct sprof_trace_calls sprof_trace_calls_of(bool by_thread, uint64_t threshold_ns)
{
	const struct sprof_call_table table = {
		.by_thread = by_thread, .threshold_ns = threshold_ns};

	return (struct sprof_trace_calls){table, table};
}

void sprof_trace_calls_finish(struct sprof_trace_calls *calls)
{
	sprof_call_table_finish(&calls->interval);
	sprof_call_table_finish(&calls->total);
}

bool sprof_trace_calls_check(
	const struct sprof_event_list *list, bool cycle, struct sprof_error *err)
{
	static const enum sprof_trace_type wanted[] = {SPROF_TRACE_SYS_ENTER, SPROF_TRACE_SYS_EXIT};
	bool is_right = list->position_count == 2 && !cycle;

	for (size_t i = 0; is_right && i < list->count; i++) {
		const struct sprof_event_item *item = &list->items[i];

		is_right = item->untraced || item->row->type == wanted[item->position];
	}
	if (is_right)
		return true;
	sprof_error_set(err, SPROF_ERROR_USAGE,
		"--impl syscalls needs two positions: of calls that begin, and of calls that end");
	return sprof_error_hint(err,
		"for example: -e raw_syscalls:sys_enter -e raw_syscalls:sys_exit; sprof syscalls "
		"measures system calls without a list of events");
}

bool sprof_trace_calls_add(
	struct sprof_trace_calls *calls, const struct sprof_trace_instance *instance)
{
	const struct sprof_trace_event *begin = instance->event1.event,
				       *end = instance->event2.event;
	const int64_t result = end->fields[1].integer;
	const struct sprof_call call = {
		.thread = end->thread,
		.pid = end->pid,
		.tid = end->tid,
		.cpu = end->cpu,
		.arch = sprof_call_native_arch(),
		.number = end->fields[0].integer,
		.begin_ns = begin->time_ns,
		.end_ns = end->time_ns,
		.result = result,
		.is_error = sprof_call_result_is_error(result),
		.ending = SPROF_CALL_RETURNED,
	};

	return sprof_call_table_add(&calls->interval, &call);
}

bool sprof_trace_calls_end_interval(struct sprof_trace_calls *calls)
{
	if (!sprof_call_table_merge(&calls->total, &calls->interval))
		return false;
	sprof_call_table_reset(&calls->interval);
	return true;
}
