/*
 * Which running processes or threads a command is for: one group of options, and what they choose.
 */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/command.h"
#include "cmd/cli/pids.h"
#include "cmd/cli/process-choice.h"

struct sprof_processes {
	struct sprof_pids pids; /* after sprof_processes_settle(): also those found by name */
	struct sprof_pids tids; /* only these threads, instead of `pids` */
	struct sprof_process_choice by_name;
	bool children, no_children;
	pid_t pid; /* of `tids` or `pids` the first; 0: none is chosen */
};

/* What of it a command can do: bits of sprof_command.processes_use. */
enum {
	SPROF_PROCESSES_MANY = 1,    /* several processes */
	SPROF_PROCESSES_THREADS = 2, /* single threads; otherwise, their processes */
	SPROF_PROCESSES_WORD = 4,    /* `COMMAND PID`, as of other tools */
	SPROF_PROCESSES_ROWS = 8,    /* measures processes, and then shows only `tids` */
};

/*
 * The rows of a command's option table, at the offset of its struct. One row is documented, and
 * describes all ways to choose.
 */
extern const struct sprof_option sprof_processes_table[];
extern const struct sprof_option sprof_processes_all_table[];
/* For commands that follow children; the second for those that also start programs. */
extern const struct sprof_option sprof_processes_children_table[];
extern const struct sprof_option sprof_processes_started_table[];

/*
 * Finds the processes that the options choose, and skips an operand that is taken as one. Returns
 * false if none is found, or more than the command can take.
 */
SPROF_MUST_USE bool sprof_processes_settle(struct sprof_processes *processes,
	const struct sprof_command *command, char *const **operands, struct sprof_error *err);

/*
 * Whether the command follows children: those of a program that it starts, unless refused; others
 * on demand.
 */
bool sprof_processes_follow_children(const struct sprof_processes *processes, bool starts_program);
