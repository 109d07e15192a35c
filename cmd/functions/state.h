/* State shared by the files of `sprof_functions`. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target.h"
#include "base/idmap.h"
#include "cmd/functions/table.h"
#include "events/functions/loading.h"
#include "events/recorded/events.h"
#include "events/syscalls/events.h"

struct sprof_functions {
	struct sprof_functions_options options;
	struct sprof_function_table table;
	struct sprof_loading loading;
	struct sprof_target *target; /* NULL: the run has not begun */
	/* Exactly one of both is used. */
	struct sprof_recorded_events *recorded; /* of debug registers */
	struct sprof_breakpoint_events *breakpoints;
	struct sprof_functions_watched *watched; /* debug registers */
	/* Debug registers that were tried, and failures: (pid and number of execs, address) -> 0 */
	struct sprof_idmap tried;
	/* called when libraries were mapped or unmapped; the data is this struct */
	void (*mapped)(void *data, struct sprof_process *process);
	struct sprof_event_source source, tasks; /* for calls; for the target's other reports */
	struct sprof_trace_sink sink;            /* receives the latter */
	uint64_t next_ns;                        /* time of the next scan */
	uint32_t not_watched;
	bool is_suspended;
	bool has_executed;        /* the launched program has executed another one */
	struct sprof_idmap execs; /* (0, pid) -> number of execs */
	bool out_of_memory;
};

/*
 * In watch.c: chooses the method. Returns false if none is permitted, or out of memory.
 */
SPROF_MUST_USE bool sprof_functions_choose(
	struct sprof_functions *functions, struct sprof_error *err);
/* Watches the functions of the process's files that are not watched yet. */
void sprof_functions_watch(struct sprof_functions *functions, struct sprof_process *process);
/*
 * In chosen.c: of a process that has run before, also the functions that it has chosen for IFUNCs.
 */
void sprof_functions_watch_chosen(struct sprof_functions *functions, struct sprof_process *process);
/* The process has executed a program: its functions must be watched again. */
void sprof_functions_new_program(
	struct sprof_functions *functions, const struct sprof_process *process);
void sprof_functions_unwatch(struct sprof_functions *functions);
