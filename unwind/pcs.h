/*
 * What is known of each pc: where it lies, how to step from it. A cache, so that a step of a warm walk is
 * one look-up and two or three reads.
 */
#ifndef SPROF_UNWIND_PCS_H
#define SPROF_UNWIND_PCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/maps.h"
#include "unwind/images.h"
#include "unwind/step.h"

enum { SPROF_PCS_LINE = 64 };

/*
 * In one state of a process's maps. In a cache line of its own: what a look-up waits for is memory, and
 * that must not be two lines.
 */
struct sprof_pc {
	_Alignas(SPROF_PCS_LINE) uint64_t pc;
	uint64_t generation;
	uint64_t offset;
	uint32_t module;
	struct sprof_rule rule;
	int32_t fp_distance; /* recover.c: of the frame pointer from sp, when this was last stepped from */
	bool is_return;      /* the same address means another row for a return address */
	bool is_generated;   /* in no file that can be read */
	bool is_behind_call; /* a call may end right before it, as far as the code can be read */
};

/* Zeroed is empty; sprof_pcs_init() makes it valid. */
struct sprof_pcs {
	struct sprof_images images;
	struct sprof_generated *generated;
	struct sprof_pc *items;
	void *memory; /* zeroed by calloc, so that only what is used is ever touched */
};

/* False: no memory. */
bool sprof_pcs_init(struct sprof_pcs *pcs, struct sprof_modules *modules);
void sprof_pcs_finish(struct sprof_pcs *pcs);

/* Valid until the next look-up. NULL: the pc is not in executable memory. */
struct sprof_pc *sprof_pcs_find(
	struct sprof_pcs *pcs, const struct sprof_maps *maps, uint64_t pc, bool is_return);

#endif
