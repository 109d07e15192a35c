/* The option rows shared by run and attach, and their defaults. */
#include "cmd/record/recording.h"

#include <string.h>

#include "cmd/cli/option-values.h"
#include "unwind/unwind.h"

#define FIELD(name) offsetof(struct sprof_recording, name)

static bool set_kernel(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_KERNEL_NONE] = "none",
		[SPROF_KERNEL_SYSCALL] = "syscall",
		[SPROF_KERNEL_STACK] = "stack",
		NULL,
	};

	return sprof_value_choice(names, text, field, err);
}

const struct sprof_recording sprof_recording_defaults = {
	.naming.debuginfod_limit_ns = SPROF_DEBUGINFOD_LIMIT_NS,
	.rate_hz = 99,
	.channel = {-1, -1},
	.max_depth = SPROF_UNWIND_DEFAULT_DEPTH,
	.kernel = SPROF_KERNEL_SYSCALL,
	.timeline_max = 1000 * 1000,
	.max_stacks = 500 * 1000,
	.shown = SPROF_REPORT_OPTIONS_DEFAULTS,
};

const char sprof_recording_hidden[] = SPROF_REPORT_OPTIONS_OLD SPROF_NAMING_HIDDEN
	" focus ignore hide charge-callers thread state label top no-pager threads own all-code "
	"callers callees sort columns percentage depth unfold min per-thread report-mode nodes "
	"colour wait-frames weight from to no-python timeline-max";

const struct sprof_option sprof_recording_sampling_table[] = {
	{"rate", "rF", "HZ", "samples per second of every thread (99)", sprof_value_rate,
		FIELD(rate_hz)},
	{"max-overhead", NULL, "PCT",
		"lower the rate when sampling would cost more than PCT percent of\n"
		"one CPU: sprof's CPU time plus the time for which the program is\n"
		"stopped",
		sprof_value_percentage, FIELD(max_overhead)},
	{"source", NULL, "SOURCE",
		"how to sample running threads. ptrace: stop them briefly; kernel:\n"
		"by timers in the kernel, with hardly any stops; auto: kernel if\n"
		"permitted, else ptrace (auto)",
		sprof_running_source_set, FIELD(source)},
	{"duration", "d", "TIME", "stop after TIME: 10s, 500ms, 1m30s (at the end of the program)",
		sprof_value_duration, FIELD(duration_ns)},
	{"delay", "D", "TIME", "wait for TIME before the first sample", sprof_value_time,
		FIELD(delay_ns)},
	{"from", NULL, "TIME", "start sampling TIME after the start; the same as --delay",
		sprof_value_time, FIELD(delay_ns)},
	{"to", NULL, "TIME", "stop sampling TIME after the start", sprof_value_duration,
		FIELD(to_ns)},
	{"control", NULL, "CHANNEL",
		"read lines from CHANNEL (fd:N or fifo:PATH): enable, disable,\n"
		"ping, stop, snapshot; with fd:N,M or fifo:PATH,PATH answers go to\n"
		"the second one",
		sprof_channel_open, FIELD(channel)},
	{"start-off", NULL, NULL, "don't sample until --control gets enable, or until SIGUSR2",
		sprof_value_flag, FIELD(start_off)},
	{"every", NULL, "TIME",
		"begin a new file after each period of TIME (at least 1s), without\n"
		"gaps; its name needs %t (time) or %n (number): -o prof-%t.pb.gz",
		sprof_value_duration, FIELD(every_ns)},
	{"max-depth", NULL, "N", "keep at most N frames per stack (8192)", sprof_value_count,
		FIELD(max_depth)},
	{"mode", NULL, "MODE",
		"wall: all threads, cpu: running threads, wait: blocked threads\n"
		"(wall)",
		sprof_value_mode, FIELD(mode)},
	{"python", NULL, "FRAMES",
		"frames of Python programs: calls: Python functions, and C\n"
		"functions that do work; all: also C functions that only call\n"
		"Python; only: just Python functions; none: the functions of the\n"
		"interpreter (calls)",
		sprof_python_set, FIELD(python)},
	{"no-python", NULL, NULL,
		"show the functions of the interpreter instead of Python functions",
		sprof_python_unset, FIELD(python)},
	{"goroutines", NULL, NULL,
		"Go: record the goroutine of each sample, and the function that\n"
		"created it",
		sprof_value_flag, FIELD(goroutines)},
	{"cpus", NULL, NULL, "record the CPU of each sample of a running thread", sprof_value_flag,
		FIELD(cpus)},
	{"kernel", NULL, "DETAIL",
		"which kernel frames to record: none; syscall: the name of the call;\n"
		"stack: the kernel's functions, which needs root and, for running\n"
		"threads, timers in the kernel (syscall)",
		set_kernel, FIELD(kernel)},
	{"max-stacks", NULL, "N",
		"keep about N distinct stacks; all later ones count as [other]\n"
		"(500000)",
		sprof_value_count, FIELD(max_stacks)},
	{"timeline-max", NULL, "N", "keep at most N changes of state for the timeline (1000000)",
		sprof_value_count, FIELD(timeline_max)},
	{"time-slices", NULL, "TIME",
		"pprof: label each sample with the period, of length TIME, in which\n"
		"it was taken, so that report can use --from and --to; the file\n"
		"becomes larger",
		sprof_value_duration, FIELD(slice_ns)},
	{0},
};

/* Without an effect: stacks are always recorded, and native ones. */
const struct sprof_option sprof_recording_foreign_table[] = {
	{"call-graph", NULL, "HOW", NULL, sprof_value_ignored, 0},
	{"native", "ng", NULL, NULL, sprof_value_ignored, 0},
	{0},
};

const struct sprof_option sprof_recording_stats_table[] = {
	{"stats", NULL, "FILE", "write how complete and exact the profile is to FILE, as JSON",
		sprof_value_text, FIELD(stats_pattern)},
	{0},
};

/* Without a value it is the report's option; with one, how waits are recorded. */
static bool set_waits(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {"ticks", "exact", NULL};
	struct sprof_recording *options = field;
	unsigned how;

	if (!text) {
		options->shown.output.waits_only = true;
		return true;
	}
	if (!sprof_value_choice(names, text, &how, err))
		return false;
	options->exact_waits = how;
	return true;
}

/* The row's offset leads to the whole struct, because it has two meanings. */
const struct sprof_option sprof_recording_waits_table[] = {
	{"waits", NULL, "[=HOW]",
		"without a value: show only waits, as text. With a value, how to\n"
		"record waits: exact: each one, with its length and stack; ticks:\n"
		"by samples (ticks)",
		set_waits, 0},
	{"why", NULL, NULL,
		"record wake-ups, and show the critical path: what decided how long\n"
		"the run took, and what each part of it would save; needs\n"
		"CAP_PERFMON and tracefs, as root has",
		sprof_value_flag, FIELD(why)},
	{0},
};

bool sprof_recording_rename(struct sprof_recording *options,
	const struct sprof_placeholders_moment *moment, struct sprof_error *err)
{
	return sprof_outputs_rename(&options->shown.outputs, moment, err) &&
		(!options->stats_pattern ||
			sprof_placeholders_expand("--stats", options->stats_pattern, moment,
				&options->stats_path, err));
}

/* Refuses a file name without a placeholder: the next period would overwrite the file. */
static bool refuse_name(const char *option, const char *pattern, struct sprof_error *err)
{
	sprof_error_set(err, SPROF_ERROR_USAGE, "--every would write %s %s again and again", option,
		pattern ? pattern : "-");
	return sprof_error_hint(err,
		"put %%t (the time) or %%n (a number) into the name of a file: "
		"-o prof-%%t.pb.gz");
}

bool sprof_recording_check_periods(const struct sprof_recording *options, struct sprof_error *err)
{
	const struct sprof_outputs *outputs = &options->shown.outputs;

	if (!options->every_ns)
		return true;
	if (options->every_ns < SPROF_NS_PER_S)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "--every takes at least 1s");
	if (!outputs->count)
		return refuse_name("--output", NULL, err);
	for (size_t i = 0; i < outputs->count; i++) {
		const char *pattern = outputs->items[i].pattern;

		if (!pattern || !sprof_placeholders_change(pattern))
			return refuse_name("--output", pattern, err);
	}
	if (options->stats_pattern && !sprof_placeholders_change(options->stats_pattern))
		return refuse_name("--stats", options->stats_pattern, err);
	return true;
}

/* The path leads through all that the threads did, from the begin to the end. */
bool sprof_recording_check_why(const struct sprof_recording *options, struct sprof_error *err)
{
	if (!options->why ||
		(options->mode == SPROF_MODE_WALL && !options->every_ns && !options->start_off &&
			options->channel.lines < 0))
		return true;
	return sprof_error_set(err, SPROF_ERROR_USAGE,
		"--why wants the whole run: it excludes --mode, --every, --start-off and "
		"--control");
}
