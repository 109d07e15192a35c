/*
 * The quality figures as JSON. Keys are plain words and values are numbers, so nothing needs
 * escaping; the keys are a stable interface.
 */
#include "output/stats.h"

#include <inttypes.h>
#include <math.h>

#include "profile/model/quality.h"

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
	for (const struct sprof_quality_field *field = sprof_quality_fields; field->name; field++)
		write_number(out, field->name, sprof_quality_get(quality, field->offset));
	write_number(out, "samples", sprof_quality_samples(quality));
	write_number(out, "stacks_complete", quality->stacks[SPROF_END_ROOT]);
	write_number(out, "stacks_truncated", truncated(quality));
	write_reasons(quality, out);
	sprof_out_printf(out, "  \"schedstat_missing\": %s\n}\n",
		quality->schedstat_missing ? "true" : "false");
}
