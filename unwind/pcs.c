/*
 * The cache of pcs, direct-mapped. An entry is a pc in one state of a process's maps; creating it
 * finds the module and its row. Maps without a generation are never cached.
 */
#include "unwind/pcs.h"

#include <stdlib.h>

#include "elfsym/code/call-decode.h"
#include "unwind/code/generated.h"

#ifndef SPROF_PCS_CACHE /* a test has a small one */
#define SPROF_PCS_CACHE (1 << 14)
#endif

enum { CACHE_SIZE = SPROF_PCS_CACHE /* a power of two; the hot pcs of a large program */ };

_Static_assert(sizeof(struct sprof_pc) == SPROF_PCS_LINE, "a look-up touches one cache line");

static void *align_to_line(void *memory)
{
	return (void *)(((uintptr_t)memory + SPROF_PCS_LINE - 1) / SPROF_PCS_LINE * SPROF_PCS_LINE);
}

bool sprof_pcs_init(struct sprof_pcs *pcs, struct sprof_modules *modules)
{
	pcs->images.modules = modules;
	pcs->generated = sprof_generated_create();
	pcs->memory = calloc(CACHE_SIZE + 1, sizeof(*pcs->items));
	pcs->items = align_to_line(pcs->memory);
	return pcs->memory && pcs->generated;
}

void sprof_pcs_finish(struct sprof_pcs *pcs)
{
	sprof_images_finish(&pcs->images);
	sprof_generated_destroy(pcs->generated);
	free(pcs->memory);
}

static bool is_behind_call(const struct sprof_image *image, uint64_t address)
{
	const uint8_t *before =
		sprof_image_at(image, address - SPROF_CALL_LONGEST, SPROF_CALL_LONGEST);
	uint64_t target;

	return !before ||
		sprof_call_decode(SPROF_MACHINE, before, address, &target) != SPROF_CALL_NONE;
}

/*
 * makecontext(3) makes a function return to the entry of another one, which is in no call: the
 * outermost frame, unless it is a trampoline of signals.
 */
static void enter(struct sprof_pcs *pcs, const struct sprof_place *place, struct sprof_pc *entry)
{
	struct sprof_fde_bounds bounds;

	if (!sprof_images_find_bounds(&pcs->images, place->module, place->address + 1, &bounds) ||
		bounds.start != place->address + 1)
		return;
	entry->is_entered = true;
	entry->rule = sprof_rows_find(place->rows, place->address + 1);
	if (entry->rule.cfa != SPROF_CFA_SIGNAL)
		entry->rule = (struct sprof_rule){.cfa = SPROF_CFA_SP, .regs = SPROF_REG_UNDEFINED};
}

static bool fill(struct sprof_pcs *pcs, const struct sprof_maps *maps, uint64_t pc, bool is_return,
	struct sprof_pc *entry)
{
	struct sprof_place place;

	if (!sprof_images_locate(&pcs->images, maps, pc - is_return, &place))
		return false;
	*entry = (struct sprof_pc){
		.pc = pc,
		.generation = maps->generation,
		.offset = place.offset + is_return,
		.module = place.module,
		.is_return = is_return,
	};
	if (place.rows) {
		entry->rule = sprof_rows_find(place.rows, place.address);
		entry->is_behind_call = is_behind_call(place.image, place.address + is_return);
		if (is_return && !entry->is_behind_call && entry->rule.cfa != SPROF_CFA_SIGNAL)
			enter(pcs, &place, entry);
	} else {
		entry->rule =
			sprof_generated_find(pcs->generated, maps, pc, &entry->is_behind_call);
		entry->is_generated = true;
	}
	return true;
}

struct sprof_pc *sprof_pcs_find(
	struct sprof_pcs *pcs, const struct sprof_maps *maps, uint64_t pc, bool is_return)
{
	struct sprof_pc *entry = &pcs->items[(pc ^ pc >> 14) & (CACHE_SIZE - 1)];

	/* Empty entries and unread maps both have generation 0. */
	if (maps->generation && entry->pc == pc && entry->generation == maps->generation &&
		entry->is_return == is_return)
		return entry;
	return fill(pcs, maps, pc, is_return, entry) ? entry : NULL;
}
