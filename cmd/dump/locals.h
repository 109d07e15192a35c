/* Local variables of a dump's frames, from the innermost frame outwards. */
#ifndef SPROF_CMD_DUMP_LOCALS_H
#define SPROF_CMD_DUMP_LOCALS_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/dump/dump.h"
#include "elfsym/locals/locals.h"

/* The position on one stack. */
struct sprof_dump_locals {
	const struct sprof_dump_view *view;
	const struct sprof_thread_stack *thread;
	struct sprof_frame_machine machine;
	size_t frame; /* index of the frame that the registers belong to */
};

void sprof_dump_locals_begin(struct sprof_dump_locals *locals, const struct sprof_dump_view *view,
	const struct sprof_thread_stack *thread);
/*
 * Variables of the function at `level` of the current frame; 0: innermost inlined. The caller
 * finishes *ret. Without --locals there are none. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_dump_locals_find(struct sprof_dump_locals *locals, size_t level,
	struct sprof_locals *ret, struct sprof_error *err);
/* Steps to the caller's frame. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_dump_locals_step(
	struct sprof_dump_locals *locals, struct sprof_error *err);

#endif
