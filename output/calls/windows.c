/*
 * The phrases for a run that was watched in windows: which part of it was watched, and how exact
 * its counts are. Does not handle the estimate itself (cmd/calls/engine.c).
 */
#include "output/calls/windows.h"

#include <inttypes.h>
#include <math.h>

#include "base/clock.h"

static double share_of(const struct sprof_calls_windows *windows)
{
	return windows->length_ns ? (double)windows->on_ns / (double)windows->length_ns : 0;
}

static void write_counts(const struct sprof_calls_windows *windows, struct sprof_out *out)
{
	if (isfinite(windows->error))
		sprof_out_printf(out,
			"counts since then are estimates; the standard error of their sum is %.0f "
			"%%, and they tend to be too low\n",
			100 * windows->error);
	else
		sprof_out_puts(out, "too little was seen since then for an estimate\n");
	if (windows->are_bounds)
		sprof_out_puts(out,
			"some threads call too fast to be measured: their counts are lower "
			"bounds\n");
}

void sprof_calls_windows_write(const struct sprof_calls_windows *windows, struct sprof_out *out)
{
	sprof_out_printf(out,
		"breakpoints took more than %.0f %% of a thread's time: from %.3f s on, only "
		"%" PRIu64 " windows were watched, %.1f %% of the time\n",
		100 * windows->share, (double)windows->since_ns / SPROF_NS_PER_S, windows->count,
		100 * share_of(windows));
	write_counts(windows, out);
	sprof_out_puts(out,
		"total and self are scaled by the share that was watched; min to max are of the "
		"calls that were seen whole; a caller that began before a window is [unwatched]; "
		"--max-overhead 0 watches every call\n");
}

void sprof_calls_windows_write_seen(
	const struct sprof_calls_windows *windows, struct sprof_out *out)
{
	sprof_out_printf(out,
		"only of the calls that were seen: from %.3f s on, %.1f %% of the time was "
		"watched\n",
		(double)windows->since_ns / SPROF_NS_PER_S, 100 * share_of(windows));
}

void sprof_calls_windows_json(const struct sprof_calls_windows *windows, struct sprof_json *json)
{
	if (!windows) {
		sprof_json_text(json, ",\"windows\":null");
		return;
	}
	sprof_json_format(json,
		",\"windows\":{\"since_ns\":%" PRIu64 ",\"length_ns\":%" PRIu64
		",\"count\":%" PRIu64 ",\"watched_ns\":%" PRIu64 ",\"taken_ns\":%" PRIu64
		",\"overhead\":%.4g,\"are_bounds\":%s",
		windows->since_ns, windows->length_ns, windows->count, windows->on_ns,
		windows->taken_ns, windows->share, windows->are_bounds ? "true" : "false");
	if (isfinite(windows->error))
		sprof_json_format(json, ",\"error\":%.4g}", windows->error);
	else
		sprof_json_text(json, ",\"error\":null}");
}
