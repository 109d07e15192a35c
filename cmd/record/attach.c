/* sprof attach: profiles a running process, and detaches. */
#include <string.h>

#include "cmd/cli/commands.h"
#include "cmd/cli/process-choice.h"
#include "cmd/record/session.h"
#include "cmd/ui.h"

#define FIELD(name) offsetof(struct sprof_recording, name)

static const struct sprof_option process_table[] = {
	{"pid", "p", "PID[,PID]...", "the process, or several in one profile", sprof_value_pids,
		FIELD(pids), .conflicts = "tid name"},
	{"tid", NULL, "TID[,TID]...",
		"only these threads; the others are not traced and not in the\n"
		"profile",
		sprof_value_pids, FIELD(tids), .conflicts = "name children"},
	{"name", NULL, "REGEX",
		"the process with a matching name: its own (comm), its file's, or\n"
		"the first word of its command line",
		sprof_value_text, FIELD(by_name.pattern)},
	{"newest", NULL, NULL, "with --name: the matching process that started last",
		sprof_value_flag, FIELD(by_name.newest), .needs = "name", .conflicts = "all"},
	{"all", NULL, NULL, "with --name: all matching processes", sprof_value_flag,
		FIELD(by_name.all), .needs = "name"},
	{"children", NULL, NULL, "also follow the processes that these start from now on",
		sprof_value_flag, FIELD(children)},
	{"subprocesses", "s", NULL, NULL, sprof_value_flag, FIELD(children)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to profile", process_table},
	{"Sampling", sprof_recording_sampling_table},
	{"Sampling", sprof_recording_foreign_table},
	{"Page faults", sprof_page_faults_table, FIELD(faults)},
	{"Output", sprof_report_options_output_table, FIELD(shown)},
	{"Output", sprof_report_options_json_table, FIELD(shown)},
	{"Output", sprof_report_options_weight_table, FIELD(shown)},
	{"Output", sprof_recording_stats_table},
	{"Filters", sprof_report_options_filter_table, FIELD(shown)},
	{"Layout", sprof_report_options_brief_table, FIELD(shown)},
	{"Layout", sprof_report_options_own_table, FIELD(shown)},
	{"Layout", sprof_recording_waits_table},
	{"Layout", sprof_report_options_report_table, FIELD(shown)},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

/* Said with --quiet too: the files exist but are empty. */
static void say_no_samples(const struct sprof_recording *options)
{
	struct sprof_error err = {0};

	sprof_error_set(&err, SPROF_ERROR_TARGET_GONE,
		options->start_off
			? "no samples: sampling was not switched on before the process or the run ended"
			: "no samples: the process or the run ended before the first one");
	sprof_ui_error(&err);
}

/* The tables refuse more than one way to choose. */
static bool check_choice(
	const struct sprof_recording *options, char *const operands[], struct sprof_error *err)
{
	const bool is_chosen =
		options->pids.count || options->tids.count || options->by_name.pattern;

	return (is_chosen && !operands[0]) ||
		sprof_command_wants_pid("attach", is_chosen, operands, err);
}

/* "-p PID -- sleep 10" is perf's way to say for how long. */
static char *const *take_sleep(struct sprof_recording *options, char *const operands[])
{
	struct sprof_error err;

	if (!operands[0] || strcmp(operands[0], "sleep") != 0 || !operands[1] || operands[2] ||
		options->duration_ns ||
		!sprof_value_duration(&options->duration_ns, operands[1], &err))
		return operands;
	return operands + 2;
}

/* "attach PID", as of strace and gdb */
static char *const *take_pids(struct sprof_recording *options, char *const operands[])
{
	struct sprof_error ignored;

	if (!operands[0] || options->pids.count || options->tids.count ||
		options->by_name.pattern ||
		!sprof_value_pids(&options->pids, operands[0], &ignored))
		return operands;
	return operands + 1;
}

static void say_begin(const struct sprof_recording *options)
{
	const bool threads = options->tids.count;
	const struct sprof_pids *ids = threads ? &options->tids : &options->pids;
	const char *what = threads ? "thread" : "process", *many = threads ? "s" : "es";
	char list[512];

	sprof_pids_list(ids, list, sizeof(list));
	sprof_ui_progress("sampling %s%s %s; %s", what, ids->count == 1 ? "" : many, list,
		options->duration_ns ? "Ctrl-C ends it early" : "Ctrl-C ends it");
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_recording options = *(const struct sprof_recording *)data;
	struct sprof_subject subject = {
		.follow_children = options.children,
	};
	struct sprof_session_result result;

	operands = take_sleep(&options, take_pids(&options, operands));
	if (!check_choice(&options, operands, err) ||
		(options.by_name.pattern &&
			!sprof_process_choice_find(&options.by_name, &options.pids, err)) ||
		!sprof_session_prepare(&options, err))
		return false;
	subject.tids = options.tids.count ? &options.tids : NULL;
	subject.pids = options.pids.count ? &options.pids : NULL;
	subject.pid = subject.tids ? options.tids.items[0] : options.pids.items[0];
	if (options.pids.count == 1 && !options.children)
		options.shown.outputs.pid = subject.pid;
	say_begin(&options);
	if (!sprof_session_run(&options, &subject, &result, err))
		return false;
	*ret_exit = sprof_session_exit(&result);
	if (!result.samples) {
		say_no_samples(&options);
		*ret_exit = *ret_exit ? *ret_exit : SPROF_EXIT_PARTIAL;
	}
	return true;
}

const struct sprof_command sprof_command_attach = {
	.name = "attach",
	.summary = "Profile a running process",
	.synopsis = "(-p PID[,PID]... | --tid TID[,TID]... | --name REGEX) [options]",
	.details =
		"At the end of the duration, on Ctrl-C, SIGTERM or SIGHUP, sprof detaches and "
		"writes the profile.\n"
		"The processes continue. SIGUSR1 writes the profile so far to the output files.\n\n"
		"  sprof attach -p 4711 -d 10s\n"
		"  sprof attach --name '^postgres' --all -d 10s\n"
		"  sprof attach -p 4711 -d 10s | flamegraph.pl --countname=us > profile.svg\n",
	.groups = groups,
	.hidden = sprof_recording_hidden,
	.first = "pid name children rate duration source waits output format full",
	.defaults = &sprof_recording_defaults,
	.options_size = sizeof(struct sprof_recording),
	.options_anywhere = true,
	.run = run,
};
