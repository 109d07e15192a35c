/*
 * Converts perf records of births, names, ends and losses into scheduler records. Of other
 * processes, only births are converted. Does not handle switches.
 */
#include "events/perf/tasks.h"

#include <string.h>

/* Records are missing between the previous record of the ring and the LOST record. */
static void add_gap(struct sprof_sched_order *order, const struct sprof_perf_record *record)
{
	const struct sprof_sched_record begin = {
		.time_ns = record->since_ns, .kind = SPROF_SCHED_GAP_BEGIN};
	const struct sprof_sched_record end = {
		.time_ns = record->time_ns, .kind = SPROF_SCHED_GAP_END, .lost = record->lost};

	sprof_sched_order_add(order, &begin);
	sprof_sched_order_add(order, &end);
}

void sprof_perf_tasks_add(
	struct sprof_sched_order *order, pid_t pid, const struct sprof_perf_record *record)
{
	struct sprof_sched_record made = {
		.time_ns = record->time_ns, .tid = record->tid, .cpu = record->cpu};

	if (record->kind == SPROF_PERF_LOST) {
		add_gap(order, record);
		return;
	}
	if (record->pid != pid && record->kind != SPROF_PERF_FORK)
		return;
	if (record->kind == SPROF_PERF_FORK)
		made.kind = record->pid == pid ? SPROF_SCHED_BIRTH : SPROF_SCHED_CHILD;
	else if (record->kind == SPROF_PERF_EXIT)
		made.kind = SPROF_SCHED_EXIT;
	else if (record->kind == SPROF_PERF_NAME)
		made.kind = record->is_exec ? SPROF_SCHED_EXEC : SPROF_SCHED_NAME;
	else
		return;
	if (record->kind == SPROF_PERF_FORK)
		made.parent = record->parent;
	if (record->kind == SPROF_PERF_NAME)
		memcpy(made.name, record->name, sizeof(made.name));
	sprof_sched_order_add(order, &made);
}
