/*
 * The quality figures as JSON. Keys are plain words and values are numbers, so nothing needs
 * escaping; the keys are an interface and stay.
 */
#include "output/stats.h"

#include <inttypes.h>
#include <math.h>

struct field {
	const char *key;
	size_t offset; /* of a uint64_t in struct sprof_quality */
};

#define FIELD(name) \
	{ \
#name, offsetof(struct sprof_quality, name) \
	}

static const struct field fields[] = {
	FIELD(duration_ns),
	FIELD(ticks),
	FIELD(ticks_late),
	FIELD(ticks_missed),
	FIELD(samples_stopped),
	FIELD(samples_peeked),
	FIELD(samples_reused),
	FIELD(stops),
	FIELD(stop_ns_total),
	FIELD(stop_ns_p50),
	FIELD(stop_ns_p99),
	FIELD(stop_ns_max),
	FIELD(profiler_cpu_ns),
	FIELD(frames),
	FIELD(unwind_ns_total),
	FIELD(frames_unresolved),
	FIELD(threads_seen),
	FIELD(processes_seen),
};

#undef FIELD

static void write_number(struct sprof_out *out, const char *key, uint64_t value)
{
	sprof_out_printf(out, "  \"%s\": %" PRIu64 ",\n", key, value);
}

static void write_reasons(const struct sprof_quality *quality, struct sprof_out *out)
{
	const char *separator = "";

	sprof_out_puts(out, "  \"truncated_reasons\": {");
	for (int i = 0; i < SPROF_END_COUNT; i++) {
		if (i == SPROF_END_ROOT || !quality->stacks[i])
			continue;
		sprof_out_printf(out, "%s\"%s\": %" PRIu64, separator,
			sprof_end_name((enum sprof_end)i), quality->stacks[i]);
		separator = ", ";
	}
	sprof_out_puts(out, "},\n");
}

static uint64_t truncated(const struct sprof_quality *quality)
{
	uint64_t sum = 0;

	for (int i = 0; i < SPROF_END_COUNT; i++)
		sum += i == SPROF_END_ROOT ? 0 : quality->stacks[i];
	return sum;
}

void sprof_stats_write(const struct sprof_quality *quality, struct sprof_out *out)
{
	sprof_out_printf(out, "{\n  \"target_pid\": %d,\n", quality->target_pid);
	sprof_out_printf(out, "  \"rate_hz\": %.10g,\n",
		isfinite(quality->rate_hz) ? quality->rate_hz : 0.0);
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		write_number(out, fields[i].key,
			*(const uint64_t *)((const char *)quality + fields[i].offset));
	write_number(out, "samples",
		quality->samples_stopped + quality->samples_peeked + quality->samples_reused);
	write_number(out, "stacks_complete", quality->stacks[SPROF_END_ROOT]);
	write_number(out, "stacks_truncated", truncated(quality));
	write_reasons(quality, out);
	sprof_out_printf(out, "  \"schedstat_missing\": %s\n}\n",
		quality->schedstat_missing ? "true" : "false");
}
