/*
 * What the files of `sprof_functions` share.
 */
#ifndef SPROF_CMD_FUNCTIONS_STATE_H
#define SPROF_CMD_FUNCTIONS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target.h"
#include "base/idmap.h"
#include "cmd/function-table.h"
#include "events/call-events.h"
#include "events/loading.h"
#include "events/recorded-events.h"

struct sprof_functions {
	struct sprof_functions_options options;
	struct sprof_function_table table;
	struct sprof_loading loading;
	struct sprof_target *target; /* NULL: the run has not begun */
	/* How functions are watched: one of the two. */
	struct sprof_recorded_events *recorded;
	struct sprof_breakpoint_events *breakpoints;
	size_t watched_count; /* of the table's functions, by the kernel */
	struct sprof_functions_watched *watched;
	/* What is not to be tried again: (a process's id and its programs, an address) -> 0 */
	struct sprof_idmap tried;
	struct sprof_event_source source, tasks; /* of calls, and of what the target reports */
	struct sprof_trace_sink sink;            /* of the latter */
	uint64_t next_ns;                        /* of the next look */
	uint32_t not_watched;
	bool returns_ended, is_suspended;
	bool has_executed;        /* the program that was started runs another one by now */
	bool by_registers;        /* the kernel's records come from debug registers */
	struct sprof_idmap execs; /* (0, a process's id) -> how many programs it has executed */
	bool out_of_memory;
};

/* functions-watch.c: chooses the way. False: none is permitted, or no memory. */
SPROF_MUST_USE bool sprof_functions_choose(
	struct sprof_functions *functions, struct sprof_error *err);
/* Watches what the table has of a process's files, and was not watched yet. */
void sprof_functions_watch(struct sprof_functions *functions, struct sprof_process *process);
/* The process has executed a program: its functions are to be watched again. */
void sprof_functions_new_program(
	struct sprof_functions *functions, const struct sprof_process *process);
void sprof_functions_unwatch(struct sprof_functions *functions);

#endif
