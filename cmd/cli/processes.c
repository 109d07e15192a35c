/* The choice of processes and threads. Does not check that they exist, or may be watched. */
#include "cmd/cli/processes.h"

#include <string.h>

#include "base/proc-status.h"
#include "cmd/cli/option-values.h"
#include "cmd/ui.h"

#define FIELD(name) offsetof(struct sprof_processes, name)

const struct sprof_option sprof_processes_table[] = {
	{"pid", "p", "PID[,PID]...",
		"these processes. Or --name REGEX: the one whose name, or else whose\n"
		"command line, matches (of several, --newest or --all). Or\n"
		"--tid TID[,TID]...: only these threads",
		sprof_value_pids, FIELD(pids), .conflicts = "tid name"},
	{"tid", NULL, "TID[,TID]...", NULL, sprof_value_pids, FIELD(tids), .conflicts = "name"},
	{"name", NULL, "REGEX", NULL, sprof_value_text, FIELD(by_name.pattern)},
	{"newest", NULL, NULL, NULL, sprof_value_flag, FIELD(by_name.newest), .needs = "name"},
	{0},
};

const struct sprof_option sprof_processes_all_table[] = {
	{"all", NULL, NULL, NULL, sprof_value_flag, FIELD(by_name.all), .needs = "name",
		.conflicts = "newest"},
	{0},
};

const struct sprof_option sprof_processes_children_table[] = {
	{"children", NULL, NULL,
		"with --pid: also follow the processes that these start from now on",
		sprof_value_flag, FIELD(children), .needs = "pid name tid", .conflicts = "tid"},
	{0},
};

const struct sprof_option sprof_processes_started_table[] = {
	{"no-children", NULL, NULL, "don't follow the processes that the program starts",
		sprof_value_flag, FIELD(no_children), .conflicts = "pid name tid"},
	{0},
};

static void take_word(struct sprof_processes *processes, char *const **operands)
{
	struct sprof_error ignored;

	if (**operands && !processes->pids.count && !processes->tids.count &&
		!processes->by_name.pattern &&
		sprof_value_pids(&processes->pids, **operands, &ignored))
		++*operands;
}

/* What threads have in common is their process's. */
static bool take_processes(
	struct sprof_processes *processes, const char *command, struct sprof_error *err)
{
	for (size_t i = 0; i < processes->tids.count; i++) {
		const pid_t tid = processes->tids.items[i];
		long pid;

		if (!sprof_proc_status_read_number(tid, "Tgid", &pid))
			return sprof_error_set(
				err, SPROF_ERROR_TARGET_GONE, "--tid %d: no such thread", (int)tid);
		if (pid != tid)
			sprof_ui_note("%s is of whole processes: process %ld has thread %d",
				command, pid, (int)tid);
		(void)!sprof_pids_add(&processes->pids, (pid_t)pid);
	}
	processes->tids.count = 0;
	return true;
}

static bool check_count(
	const struct sprof_processes *processes, const char *command, struct sprof_error *err)
{
	char list[128];

	if (processes->pids.count < 2)
		return true;
	sprof_pids_list(&processes->pids, list, sizeof(list));
	sprof_error_set(
		err, SPROF_ERROR_USAGE, "%s takes one process at a time, not %s", command, list);
	sprof_error_hint(err, "sprof %s -p %d", command, (int)processes->pids.items[0]);
	return false;
}

bool sprof_processes_settle(struct sprof_processes *processes, const struct sprof_command *command,
	char *const **operands, struct sprof_error *err)
{
	const unsigned use = command->processes_use;

	if (use & SPROF_PROCESSES_WORD)
		take_word(processes, operands);
	if (processes->by_name.pattern &&
		!sprof_process_choice_find(&processes->by_name, &processes->pids, err))
		return false;
	if (!(use & SPROF_PROCESSES_THREADS) && !take_processes(processes, command->name, err))
		return false;
	if (!(use & SPROF_PROCESSES_MANY) && !check_count(processes, command->name, err))
		return false;
	processes->pid = processes->tids.count ? processes->tids.items[0]
		: processes->pids.count        ? processes->pids.items[0]
					       : 0;
	return true;
}
