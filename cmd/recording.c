/*
 * The option rows that run and attach share, and their defaults.
 */
#include "cmd/recording.h"

#include <string.h>

#include "cmd/values.h"
#include "unwind/unwind.h"

#define FIELD(name) offsetof(struct sprof_recording, name)

static bool set_weight(void *field, const char *text, struct sprof_error *err)
{
	return sprof_weight_find(text, field) ||
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"not one of wall, samples, user, sys, runq, wait, sleep, disk, stopped, "
			"stolen");
}

static bool set_kernel(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_KERNEL_NONE] = "none",
		[SPROF_KERNEL_SYSCALL] = "syscall",
		[SPROF_KERNEL_STACK] = "stack",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(text, names[i])) {
			*(enum sprof_kernel_detail *)field = (enum sprof_kernel_detail)i;
			return true;
		}
	}
	return sprof_error_set(err, SPROF_ERROR_USAGE, "not one of none, syscall, stack");
}

const struct sprof_recording sprof_recording_defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
	.rate_hz = 99,
	.max_depth = SPROF_UNWIND_DEFAULT_DEPTH,
	.kernel = SPROF_KERNEL_SYSCALL,
	.timeline_max = 1000 * 1000,
	.max_stacks = 500 * 1000,
	.weight = SPROF_WEIGHT_WALL,
	.shown = SPROF_SHOWN_DEFAULTS,
};

const struct sprof_option sprof_recording_sampling_table[] = {
	{"rate", "rF", "HZ", "samples per second of every thread (99)", sprof_value_rate,
		FIELD(rate_hz)},
	{"max-overhead", NULL, "PCT",
		"sample less often where it would cost more than so much of a CPU's\n"
		"time: sprof's own, and what the program is stopped for",
		sprof_value_percentage, FIELD(max_overhead)},
	{"duration", "d", "TIME", "stop after TIME: 10s, 500ms, 1m30s (when the program ends)",
		sprof_value_duration, FIELD(duration_ns)},
	{"delay", "D", "TIME", "wait for TIME before the first sample", sprof_value_time,
		FIELD(delay_ns)},
	{"from", NULL, "TIME", "sample from this time since the start on: as --delay",
		sprof_value_time, FIELD(delay_ns)},
	{"to", NULL, "TIME", "sample up to this time since the start", sprof_value_duration,
		FIELD(to_ns)},
	{"every", NULL, "TIME",
		"write a file for each period of TIME, at least 1s, without a gap\n"
		"between them; their names need %t or %n: -o prof-%t.pb.gz",
		sprof_value_duration, FIELD(every_ns)},
	{"max-depth", NULL, "N", "at most N frames per stack (8192)", sprof_value_count,
		FIELD(max_depth)},
	{"mode", NULL, "MODE", "wall: all threads, cpu: running ones, wait: blocked ones (wall)",
		sprof_value_mode, FIELD(mode)},
	{"goroutines", NULL, NULL,
		"Go: which goroutine each sample is of, and who created it",
		sprof_value_flag, FIELD(goroutines)},
	{"kernel", NULL, "DETAIL",
		"the kernel's end of the stacks: none, syscall, or stack: what\n"
		"the kernel tells of its own, which takes root (syscall)",
		set_kernel, FIELD(kernel)},
	{"max-stacks", NULL, "N", "keep N distinct stacks apart, the rest is [other] (500000)",
		sprof_value_count, FIELD(max_stacks)},
	{"timeline-max", NULL, "N", "keep at most N changes of state (1000000)", sprof_value_count,
		FIELD(timeline_max)},
	{"time-slices", NULL, "TIME",
		"pprof: samples are labelled with the time, to so much; makes the\n"
		"file larger, and report --from --to possible",
		sprof_value_duration, FIELD(slice_ns)},
	{0},
};

const struct sprof_option sprof_recording_output_table[] = {
	{"output", "o", "FILE", "write to FILE, - is stdout; may be given several times",
		sprof_outputs_set_path, FIELD(outputs)},
	{"format", "f", "FORMAT",
		"format of the -o before it, or of all; sprof --list-formats lists them\n"
		"(by FILE's suffix; summary on a terminal, folded into a pipe)",
		sprof_outputs_set_format, FIELD(outputs)},
	{"weight", NULL, "KIND",
		"folded: wall, samples, user, sys, runq, stolen, wait, or of the last\n"
		"sleep, disk or stopped (wall)",
		set_weight, FIELD(weight)},
	{"stats", NULL, "FILE", "write the quality of the profile to FILE, as JSON",
		sprof_value_text, FIELD(stats_pattern)},
	{0},
};

bool sprof_recording_rename(struct sprof_recording *options,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err)
{
	return sprof_outputs_rename(&options->outputs, moment, err) &&
		(!options->stats_pattern ||
			sprof_placeholders_expand_option("--stats", options->stats_pattern, moment,
				&options->stats_path, err));
}

/* The next period would write over it. */
static bool refuse_name(const char *option, const char *pattern, struct sprof_error *err)
{
	sprof_error_set(err, SPROF_ERROR_USAGE, "--every would write %s %s again and again", option,
		pattern ? pattern : "-");
	sprof_error_hint(err, "put %%t (the time) or %%n (a number) into the name of a file: "
			      "-o prof-%%t.pb.gz");
	return false;
}

bool sprof_recording_check_periods(const struct sprof_recording *options, struct sprof_error *err)
{
	const struct sprof_outputs *outputs = &options->outputs;

	if (!options->every_ns)
		return true;
	if (options->every_ns < SPROF_NS_PER_S)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--every takes at least 1s");
	for (size_t i = 0; i < outputs->count; i++) {
		const char *pattern = outputs->items[i].pattern;

		if (!pattern || !sprof_placeholders_change(pattern))
			return refuse_name("--output", pattern, err);
	}
	if (options->stats_pattern && !sprof_placeholders_change(options->stats_pattern))
		return refuse_name("--stats", options->stats_pattern, err);
	return true;
}
