/*
 * The full unwinder: libunwind, reading the same copied stack and locally mapped files. Used for
 * rows that need more than three registers, and as the reference in tests.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/proc/maps.h"
#include "base/attributes.h"
#include "unwind/images.h"
#include "unwind/snapshot.h"

struct sprof_full_unwinder;

/* `signature_mask`: from sprof_regs_signature_mask(). Returns NULL if out of memory. */
struct sprof_full_unwinder *sprof_full_unwinder_create(
	struct sprof_images *images, uint64_t signature_mask) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_full_unwinder_destroy(struct sprof_full_unwinder *full);

enum sprof_full_end {
	SPROF_FULL_ROOT,
	SPROF_FULL_DEPTH,
	SPROF_FULL_STACK_COPY,
	SPROF_FULL_REGISTER, /* a register not in the snapshot */
	SPROF_FULL_FAILED,
};

/* One frame: its pc, its sp (0: unknown), and whether the pc is a return address. */
struct sprof_full_frame {
	uint64_t pc, sp;
	bool is_return;
};

/* Walks from the snapshot's registers; at most `size` frames, innermost first. */
enum sprof_full_end sprof_full_unwinder_walk(struct sprof_full_unwinder *full,
	const struct sprof_snapshot *snapshot, const struct sprof_maps *maps,
	struct sprof_full_frame *frames, size_t size, size_t *ret_count);
