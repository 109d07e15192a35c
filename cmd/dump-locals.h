/*
 * The local variables of the frames of a dump, frame by frame from the innermost.
 */
#ifndef SPROF_CMD_DUMP_LOCALS_H
#define SPROF_CMD_DUMP_LOCALS_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/dump.h"
#include "elfsym/locals.h"

/* The way along one stack. */
struct sprof_dump_locals {
	const struct sprof_dump_view *view;
	const struct sprof_thread_stack *thread;
	struct sprof_frame_machine machine;
	size_t frame; /* that the machine's registers are of */
};

void sprof_dump_locals_begin(struct sprof_dump_locals *locals, const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread);
/*
 * Of the function `level` of the current frame, 0 being the innermost. The caller finishes *ret.
 * Without --locals there are none. False: no memory.
 */
SPROF_MUST_USE bool sprof_dump_locals_find(struct sprof_dump_locals *locals, size_t level,
	struct sprof_locals *ret, struct sprof_error *err);
/* To the next frame. False: no memory. */
SPROF_MUST_USE bool sprof_dump_locals_step(
	struct sprof_dump_locals *locals, struct sprof_error *err);

#endif
