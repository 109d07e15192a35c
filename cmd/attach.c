/*
 * sprof attach: profile a process that is running already, and let it go again.
 */
#include "cmd/commands.h"
#include "cmd/session.h"
#include "cmd/ui.h"

#define FIELD(name) offsetof(struct sprof_recording, name)

static const struct sprof_option process_table[] = {
	{"pid", "p", "PID", "the process", sprof_value_pid, FIELD(pid)},
	{"children", NULL, NULL, "also the processes that it starts from now on", sprof_value_flag,
		FIELD(children)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to profile", process_table},
	{"Sampling", sprof_recording_sampling_table},
	{"Output", sprof_shown_output_table, FIELD(shown)},
	{"Output", sprof_recording_stats_table},
	{"What to report", sprof_shown_filter_table, FIELD(shown)},
	{"How", sprof_shown_brief_table, FIELD(shown)},
	{"How", sprof_shown_report_table, FIELD(shown)},
	{"Names", sprof_naming_kind_table, FIELD(shown.short_names)},
	{"Names", sprof_naming_table, FIELD(naming)},
	{"General", sprof_common_option_table},
	{0},
};

/* Said with --quiet too: the files exist but are empty. */
static void say_no_samples(void)
{
	struct sprof_error err = {0};

	sprof_error_set(&err, SPROF_ERROR_TARGET_GONE,
		"no samples: the process or the run ended before the first one");
	sprof_ui_error(&err);
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_recording options = *(const struct sprof_recording *)data;
	struct sprof_subject subject = {
		.pid = options.pid,
		.follow_children = options.children,
	};
	struct sprof_session_result result;

	if (!sprof_command_wants_pid("attach", options.pid, operands, err) ||
		!sprof_session_prepare(&options, err))
		return false;
	sprof_ui_progress("sampling process %d; %s", (int)options.pid,
		options.duration_ns ? "Ctrl-C ends it early" : "Ctrl-C ends it");
	if (!sprof_session_run(&options, &subject, &result, err))
		return false;
	*ret_exit = sprof_session_exit(&result);
	if (!result.samples) {
		say_no_samples();
		*ret_exit = *ret_exit ? *ret_exit : SPROF_EXIT_PARTIAL;
	}
	return true;
}

const struct sprof_command sprof_command_attach = {
	.name = "attach",
	.summary = "Profile a process that is running already",
	.synopsis = "-p PID [options]",
	.details =
		"At the end of the duration, on Ctrl-C, SIGTERM or SIGHUP, sprof lets go of the "
		"process, which runs\non, and writes the profile. SIGUSR1 writes what there is so far "
		"to the output files.\n\n"
		"  sprof attach -p 4711 -d 10s\n"
		"  sprof attach -p 4711 -d 10s | flamegraph.pl --countname=us > profile.svg\n",
	.groups = groups,
	.defaults = &sprof_recording_defaults,
	.options_size = sizeof(struct sprof_recording),
	.run = run,
};
