/* The choice of processes and threads. Does not check that they exist, or may be watched. */
#include "cmd/cli/processes.h"

#include <string.h>

#include "base/proc-status.h"
#include "cmd/cli/option-values.h"
#include "cmd/ui.h"

#define FIELD(name) offsetof(struct sprof_processes, name)

const struct sprof_option sprof_processes_table[] = {
	{"pid", "p", "PID",
		"a running process, or PID,PID for several (some commands take only\n"
		"one). Or --name REGEX: the process whose name matches or, if none\n"
		"does, whose command line matches; if several match, add --newest or\n"
		"(where several are possible) --all. Or --tid TID: one thread;\n"
		"commands that measure whole processes take its process",
		sprof_value_pids, FIELD(pids), .conflicts = "tid name"},
	{"tid", NULL, "TID", "a thread, or its process", sprof_value_pids, FIELD(tids),
		.conflicts = "name", .is_described = true},
	{"name", NULL, "REGEX", "the process whose name, or else whose command line, matches",
		sprof_value_text, FIELD(by_name.pattern), .is_described = true},
	{"newest", NULL, NULL, "of several matching processes the one started last",
		sprof_value_flag, FIELD(by_name.newest), .needs = "name", .is_described = true},
	{0},
};

const struct sprof_option sprof_processes_all_table[] = {
	{"all", NULL, NULL, "all matching processes", sprof_value_flag, FIELD(by_name.all),
		.needs = "name", .conflicts = "newest", .is_described = true},
	{0},
};

const struct sprof_option sprof_processes_children_table[] = {
	{"children", NULL, NULL,
		"with --pid or --name: also follow processes started by these from\n"
		"now on",
		sprof_value_flag, FIELD(children), .needs = "pid name", .conflicts = "tid"},
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

/* Whether several processes may be chosen by one name: `symbols --all` means something else. */
static bool takes_all(const struct sprof_command *command)
{
	for (const struct sprof_option_group *group = command->groups; group->title; group++) {
		if (group->options == sprof_processes_all_table)
			return true;
	}
	return false;
}

static bool has_other_threads(pid_t tid, pid_t pid)
{
	long threads;

	return pid != tid ||
		(sprof_proc_status_read_number(pid, "Threads", &threads) && threads > 1);
}

/* Replaces the threads by their processes. */
static bool take_processes(struct sprof_processes *processes, const struct sprof_command *command,
	struct sprof_error *err)
{
	const bool has_rows = command->processes_use & SPROF_PROCESSES_ROWS;

	for (size_t i = 0; i < processes->tids.count; i++) {
		const pid_t tid = processes->tids.items[i];
		long pid;

		if (!sprof_proc_status_read_number(tid, "Tgid", &pid))
			return sprof_error_set(
				err, SPROF_ERROR_TARGET_GONE, "--tid %d: no such thread", (int)tid);
		if (!has_rows && has_other_threads(tid, (pid_t)pid))
			sprof_ui_note("%s measures whole processes: process %ld has thread %d",
				command->name, pid, (int)tid);
		(void)!sprof_pids_add(&processes->pids, (pid_t)pid);
	}
	if (!has_rows)
		processes->tids.count = 0;
	return true;
}

static bool check_count(
	const struct sprof_processes *processes, const char *command, struct sprof_error *err)
{
	char list[128];

	if (processes->pids.count < 2)
		return true;
	sprof_pids_list(&processes->pids, ", ", list, sizeof(list));
	sprof_error_set(
		err, SPROF_ERROR_USAGE, "%s takes one process at a time, not %s", command, list);
	return sprof_error_hint(err, "sprof %s -p %d", command, (int)processes->pids.items[0]);
}

bool sprof_processes_settle(struct sprof_processes *processes, const struct sprof_command *command,
	char *const **operands, struct sprof_error *err)
{
	const unsigned use = command->processes_use;

	if (use & SPROF_PROCESSES_WORD)
		take_word(processes, operands);
	processes->by_name.has_all = takes_all(command);
	if (processes->by_name.pattern &&
		!sprof_process_choice_find(&processes->by_name, &processes->pids, err))
		return false;
	if (!(use & SPROF_PROCESSES_THREADS) && !take_processes(processes, command, err))
		return false;
	if (!(use & SPROF_PROCESSES_MANY) && !check_count(processes, command->name, err))
		return false;
	processes->pid = processes->pids.count ? processes->pids.items[0]
		: processes->tids.count        ? processes->tids.items[0]
					       : 0;
	return true;
}

bool sprof_processes_follow_children(const struct sprof_processes *processes, bool starts_program)
{
	return starts_program ? !processes->no_children : processes->children;
}
