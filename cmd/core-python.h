/*
 * Frames of an interpreter in a core: interp/ with the core's memory.
 */
#ifndef SPROF_CMD_CORE_PYTHON_H
#define SPROF_CMD_CORE_PYTHON_H

#include "base/proc.h"
#include "cmd/core-look.h"
#include "interp/interp.h"
#include "unwind/snapshot.h"

struct sprof_core_python {
	const struct sprof_core_look *look;
	struct sprof_interp_memory memory;
	struct sprof_interp_process *process; /* NULL: the core has no interpreter */
	struct sprof_interp_copy *copy;       /* of any thread */
};

/* Looks for an interpreter if look->interp wants it. It holds a pointer to itself. */
void sprof_core_python_begin(const struct sprof_core_look *look, struct sprof_core_python *ret);
void sprof_core_python_finish(struct sprof_core_python *python);

/*
 * The thread's stack, with the interpreter's frames in it, and the name that the program gave to the
 * thread; "": none is known. False: no memory.
 */
SPROF_MUST_USE bool sprof_core_python_merge(struct sprof_core_python *python, pid_t tid,
	const struct sprof_snapshot *snapshot, struct sprof_stack_view *stack,
	char name[SPROF_COMM_MAX]);

#endif
