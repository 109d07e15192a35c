/* The commands: one file and one const struct each, and a row of the table in main.c. */
#pragma once

#include <sys/types.h>

#include "base/attributes.h"
#include "cmd/cli/command.h"
#include "cmd/cli/option-values.h"

extern const struct sprof_command sprof_command_attach;
extern const struct sprof_command sprof_command_diff;
extern const struct sprof_command sprof_command_dump;
extern const struct sprof_command sprof_command_events;
extern const struct sprof_command sprof_command_calls;
extern const struct sprof_command sprof_command_heap;
extern const struct sprof_command sprof_command_mem;
extern const struct sprof_command sprof_command_merge;
extern const struct sprof_command sprof_command_report;
extern const struct sprof_command sprof_command_annotate;
extern const struct sprof_command sprof_command_run;
extern const struct sprof_command sprof_command_rundelay;
extern const struct sprof_command sprof_command_symbols;
extern const struct sprof_command sprof_command_syscalls;
extern const struct sprof_command sprof_command_top;
extern const struct sprof_command sprof_command_trace;

/* For commands that require -p PID and take no operands. */
bool sprof_command_wants_pid(const char *command, pid_t pid, char *const operands[],
	struct sprof_error *err) SPROF_MUST_USE;
