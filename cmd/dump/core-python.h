/* Interpreter frames in a core file: interp/ with the core's memory. */
#ifndef SPROF_CMD_DUMP_CORE_PYTHON_H
#define SPROF_CMD_DUMP_CORE_PYTHON_H

#include "base/proc.h"
#include "cmd/dump/core-look.h"
#include "interp/interp.h"
#include "unwind/snapshot.h"

struct sprof_core_python {
	const struct sprof_core_look *look;
	struct sprof_interp_memory memory;
	struct sprof_interp_process *process; /* NULL: no interpreter in the core */
	struct sprof_interp_copy *copy;       /* reused for all threads */
};

/*
 * Looks for an interpreter if look->interp is set. `ret` contains a pointer to itself: don't move
 * it.
 */
void sprof_core_python_begin(const struct sprof_core_look *look, struct sprof_core_python *ret);
void sprof_core_python_finish(struct sprof_core_python *python);

/*
 * The thread's stack with interpreter frames merged in, and the name that the program gave the
 * thread; "": none. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_core_python_merge(struct sprof_core_python *python, pid_t tid,
	const struct sprof_snapshot *snapshot, struct sprof_stack_view *stack,
	char name[SPROF_COMM_MAX]);

#endif
