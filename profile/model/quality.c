/*
 * The table of quality figures, and how to combine those of several runs. base/record.h defines the
 * figures.
 */
#include "profile/model/quality.h"

#define FIELD(field) \
	{ \
#field, offsetof(struct sprof_quality, field) \
	}

/* clang-format off */
#define MERGE(name, merge) {name, offsetof(struct sprof_quality, merges[SPROF_MERGE_##merge])}
/* clang-format on */

const struct sprof_quality_field sprof_quality_fields[] = {
	FIELD(duration_ns),
	FIELD(off_ns),
	FIELD(ticks),
	FIELD(ticks_late),
	FIELD(ticks_missed),
	FIELD(ticks_held_back),
	FIELD(samples_by_kernel),
	FIELD(samples_stopped),
	FIELD(samples_peeked),
	FIELD(samples_reused),
	FIELD(samples_lost),
	FIELD(timers_denied),
	FIELD(timers_refused),
	FIELD(timers_unfit),
	FIELD(timers_throttled),
	FIELD(stops),
	FIELD(stop_ns_total),
	FIELD(stop_ns_p50),
	FIELD(stop_ns_p95),
	FIELD(stop_ns_p99),
	FIELD(stop_ns_max),
	FIELD(profiler_cpu_ns),
	FIELD(cpus),
	FIELD(machine_cpu_ns),
	FIELD(frames),
	FIELD(stacks_by_code),
	FIELD(stacks_by_frame_pointer),
	FIELD(unwind_ns_total),
	FIELD(frames_unresolved),
	FIELD(samples_folded),
	FIELD(threads_folded),
	FIELD(waits_folded),
	FIELD(running_ns),
	FIELD(estimated_ns),
	FIELD(waits_looked_up),
	FIELD(wait_ns_total),
	FIELD(exact_waits),
	FIELD(exact_unplaced),
	FIELD(exact_lost),
	FIELD(exact_refused),
	FIELD(threads_seen),
	FIELD(processes_seen),
	MERGE("python_merged", MERGED),
	MERGE("python_unmerged_version", VERSION),
	MERGE("python_unmerged_no_state", NO_STATE),
	MERGE("python_unmerged_not_read", NOT_READ),
	MERGE("python_unmerged_torn", TORN),
	MERGE("python_unmerged_native", NATIVE),
	MERGE("python_unmerged_mismatch", MISMATCH),
	MERGE("python_unmerged_switch", SWITCH),
	{0},
};

#undef FIELD
#undef MERGE

/* Runs of a job are parallel. Percentiles of several runs, and reasons, have no sum. */
static bool is_largest(size_t offset)
{
	return offset == offsetof(struct sprof_quality, duration_ns) ||
		offset == offsetof(struct sprof_quality, timers_denied) ||
		offset == offsetof(struct sprof_quality, stop_ns_p50) ||
		offset == offsetof(struct sprof_quality, stop_ns_p95) ||
		offset == offsetof(struct sprof_quality, stop_ns_p99) ||
		offset == offsetof(struct sprof_quality, stop_ns_max);
}

void sprof_quality_add(struct sprof_quality *sum, const struct sprof_quality *more)
{
	const bool are_several = sum->duration_ns;

	for (const struct sprof_quality_field *field = sprof_quality_fields; field->name; field++) {
		uint64_t *value = sprof_quality_at(sum, field->offset);
		uint64_t other = sprof_quality_get(more, field->offset);

		if (!is_largest(field->offset))
			*value += other;
		else if (*value < other)
			*value = other;
	}
	for (int i = 0; i < SPROF_END_COUNT; i++)
		sum->stacks[i] += more->stacks[i];
	/* Which runs were on one machine, and at the same time, is not known. */
	if (are_several)
		sum->cpus = sum->machine_cpu_ns = 0;
	if (!sum->target_pid)
		sum->target_pid = more->target_pid;
	if (sum->rate_hz < more->rate_hz)
		sum->rate_hz = more->rate_hz;
	sum->mode = more->mode;
	sum->schedstat_missing |= more->schedstat_missing;
}
