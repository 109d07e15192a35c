/*
 * Estimates: counts by each thread's own time in the windows, durations by the windows' share of
 * the time. Gives no error per function: rare functions have a larger one.
 */
#include "cmd/calls-windows.h"

#include <inttypes.h>
#include <math.h>

#include "base/clock.h"
#include "events/activation-estimate.h"
#include "output/units.h"

struct factors {
	const struct sprof_function_windows *windows;
	struct sprof_calls_windows *facts;
};

static struct sprof_activation_factors factors_of(void *data, uint32_t thread)
{
	const struct factors *factors = data;
	const struct sprof_calls_windows *facts = factors->facts;
	struct sprof_activation_factors found = {1, 1};
	double off_ns, own;
	bool is_most;

	if (!facts->on_ns)
		return found;
	off_ns = fmax((double)facts->length_ns - (double)facts->on_ns, 0);
	own = sprof_function_windows_own(factors->windows, thread, &is_most);
	factors->facts->are_bounds |= is_most;
	found.time += off_ns / (double)facts->on_ns;
	found.calls += own > 0 ? off_ns / own : 0;
	return found;
}

bool sprof_calls_windows_add(const struct sprof_function_windows *windows,
	const struct sprof_activations *seen, struct sprof_activations *to, uint64_t begin_ns,
	struct sprof_calls_windows *ret)
{
	const struct sprof_duty *duty = &windows->duty;
	struct factors factors = {windows, ret};
	const struct sprof_activation_estimate estimate = {
		sprof_activations_books(seen), factors_of, &factors};

	*ret = (struct sprof_calls_windows){
		.since_ns = duty->begin_ns - begin_ns,
		.length_ns = windows->end_ns - duty->begin_ns,
		.count = duty->windows,
		.on_ns = duty->on_ns,
		.taken_ns = duty->taken_ns,
		.share = duty->share,
		.error = sprof_duty_error(duty),
	};
	return sprof_activations_add(to, &estimate);
}

static double share_of(const struct sprof_calls_windows *windows)
{
	return windows->length_ns ? (double)windows->on_ns / (double)windows->length_ns : 0;
}

static void write_counts(const struct sprof_calls_windows *windows, struct sprof_out *out)
{
	if (isfinite(windows->error))
		sprof_out_printf(out,
			"counts since then are estimates; the standard error of their sum is "
			"%.0f %%, and they are rather too low than too high\n",
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
		"calls that were seen whole; a caller that began before a window is [none]; "
		"--overhead 0 watches every call\n");
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
