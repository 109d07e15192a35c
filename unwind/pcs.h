/*
 * A cache of pcs: each one's module, and the rule for stepping from it. A step of a warm walk costs
 * one lookup and two or three reads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/proc/maps.h"
#include "base/attributes.h"
#include "unwind/images.h"
#include "unwind/step.h"

enum { SPROF_PCS_LINE = 64 };

/*
 * A pc in one state of a process's maps. Fits one cache line, so that a lookup waits for a single
 * line of memory.
 */
struct sprof_pc {
	_Alignas(SPROF_PCS_LINE) uint64_t pc;
	uint64_t generation;
	uint64_t offset;
	uint32_t module;
	struct sprof_rule rule;
	/* for recover.c: distance of the frame pointer from sp at the last step from here */
	int32_t fp_distance;
	bool is_return;      /* a return address may need another row at the same address */
	bool is_generated;   /* not in a readable file */
	bool is_behind_call; /* a call may end right before it, as far as the code is readable */
	/*
	 * a return address that is a function's entry and does not follow a call: no call put it
	 * there
	 */
	bool is_entered;
};

/* Zeroed is empty; sprof_pcs_init() makes it valid. */
struct sprof_pcs {
	struct sprof_images images;
	struct sprof_generated *generated;
	struct sprof_pc *items;
	void *memory; /* from calloc, so that only used pages are ever touched */
};

/* Returns false if out of memory. */
bool sprof_pcs_init(struct sprof_pcs *pcs, struct sprof_modules *modules) SPROF_MUST_USE;
void sprof_pcs_finish(struct sprof_pcs *pcs);

/* Valid until the next lookup. NULL: the pc is not in executable memory. */
struct sprof_pc *sprof_pcs_find(
	struct sprof_pcs *pcs, const struct sprof_maps *maps, uint64_t pc, bool is_return);
