/* Local variables of a dump's frames, from the innermost frame outwards. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/dump/dump.h"
#include "elfsym/locals/locals.h"

/* The frames of a stack with their registers, and the current one. */
struct sprof_dump_locals {
	const struct sprof_dump_view *view;
	const struct sprof_thread_stack *thread;
	struct sprof_frame_position *positions; /* of all frames; NULL: no registers were kept */
	size_t frame;                           /* the current one, set by the caller */
};

/*
 * Restores the registers of all frames. The caller finishes *ret, which must stay where it is until
 * then. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_dump_locals_init(struct sprof_dump_locals *ret,
	const struct sprof_dump_view *view, const struct sprof_thread_stack *thread,
	struct sprof_error *err);
void sprof_dump_locals_finish(struct sprof_dump_locals *locals);
/*
 * Variables of the function at `level` of the current frame; 0: innermost inlined. The caller
 * finishes *ret. Without --locals there are none. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_dump_locals_find(const struct sprof_dump_locals *locals, size_t level,
	struct sprof_locals *ret, struct sprof_error *err);
