/* sprof attach: profiles a running process, and detaches. */
#include <string.h>

#include "cmd/cli/commands.h"
#include "cmd/cli/processes.h"
#include "cmd/record/session.h"
#include "cmd/record/subject.h"
#include "cmd/ui.h"

#define FIELD(name) offsetof(struct sprof_recording, name)

/* --children needs no other option: the process may also be an operand. */
static const struct sprof_option children_table[] = {
	{"children", NULL, NULL, "also follow processes that the profiled ones start from now on",
		sprof_value_flag, FIELD(processes.children), .conflicts = "tid"},
	{"subprocesses", "s", NULL, NULL, sprof_value_flag, FIELD(processes.children)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to profile", sprof_processes_table, FIELD(processes)},
	{"What to profile", sprof_processes_all_table, FIELD(processes)},
	{"What to profile", children_table},
	SPROF_RECORDING_GROUPS,
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

static void say_begin(const struct sprof_recording *options)
{
	const struct sprof_processes *processes = &options->processes;
	const bool threads = processes->tids.count;
	const struct sprof_pids *ids = threads ? &processes->tids : &processes->pids;
	const char *what = threads ? "thread" : "process", *many = threads ? "s" : "es";
	char list[512];

	sprof_pids_list(ids, ", ", list, sizeof(list));
	sprof_ui_progress("sampling %s%s %s; %s", what, ids->count == 1 ? "" : many, list,
		options->duration_ns ? "Ctrl-C ends it early" : "Ctrl-C ends it");
}

/* A server's first process may do little itself: the user may want those that it started. */
static void say_left_out(const struct sprof_pids *family)
{
	enum { MOST = 16 /* ids that are no burden to a command */ };
	const size_t count = family->count - 1;
	char list[512];

	sprof_pids_list(family, ",", list, sizeof(list));
	sprof_ui_note("process %d had started %zu process%s that %s not sampled; "
		      "-p %s samples %s, too",
		(int)family->items[0], count, count == 1 ? "" : "es", count == 1 ? "was" : "were",
		count <= MOST ? list : "PID,PID,...", count == 1 ? "it" : "them");
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_recording options = *(const struct sprof_recording *)data;
	struct sprof_subject subject = sprof_subject_of(&options.processes);
	struct sprof_session_result result;
	struct sprof_pids family = {.items = {subject.pid}, .count = 1};

	operands = take_sleep(&options, operands);
	if (!sprof_command_wants_pid("attach", subject.pid, operands, err) ||
		!sprof_session_prepare(&options, err))
		return false;
	if (options.processes.pids.count == 1 && !subject.follow_children)
		options.shown.outputs.pid = subject.pid;
	say_begin(&options);
	if (options.processes.pids.count != 1 || !sprof_pids_add_descendants(&family))
		family.count = 1;
	if (!sprof_session_run(&options, &subject, &result, err))
		return false;
	if (family.count > 1)
		say_left_out(&family);
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
		"When the duration is over, or on Ctrl-C, SIGTERM or SIGHUP, sprof detaches and "
		"writes the profile.\n"
		"The processes continue to run. SIGUSR1 writes the profile so far to the output files.\n\n"
		"  sprof attach -p 4711 -d 10s\n"
		"  sprof attach --name '^postgres' --all -d 10s\n"
		"  sprof attach -p 4711 -d 10s | flamegraph.pl --countname=us > profile.svg\n",
	.groups = groups,
	.hidden = sprof_recording_hidden,
	.processes = FIELD(processes),
	.processes_use = SPROF_PROCESSES_MANY | SPROF_PROCESSES_THREADS | SPROF_PROCESSES_WORD,
	.first = "pid children rate duration source waits output format full",
	.defaults = &sprof_recording_defaults,
	.options_size = sizeof(struct sprof_recording),
	.options_anywhere = true,
	.run = run,
};
