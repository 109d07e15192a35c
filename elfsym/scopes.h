/*
 * The functions of one compilation unit and what was inlined into them, by address.
 */
#ifndef SPROF_ELFSYM_SCOPES_H
#define SPROF_ELFSYM_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/image.h"
#include "elfsym/ranges.h"

#define SPROF_SCOPE_NONE SPROF_RANGES_NONE

/* A DW_TAG_subprogram or DW_TAG_inlined_subroutine that has code. */
struct sprof_scope {
	Dwarf_Die die;
	uint32_t
		parent; /* what it is inlined into; SPROF_SCOPE_NONE: it is a function of its own */
};

/* A DIE that gives what is declared in it a longer name: namespace, class, function. */
struct sprof_container {
	Dwarf_Off begin, end; /* of the DIE and what is in it; end is behind the last one */
	uint32_t parent;      /* SPROF_SCOPE_NONE: the unit */
	bool is_function;
};

/* Zeroed is empty and valid. */
struct sprof_scopes {
	struct sprof_scope *items;
	size_t count, capacity;
	struct sprof_ranges ranges; /* -> index of the innermost scope */
	struct sprof_container *containers; /* by begin */
	size_t container_count, container_capacity;
};

/*
 * Adds a DIE's code ranges to the table, leaving out those that are not in executable segments of
 * the image (dead code that the linker dropped). Each range counts against the budget; at 0 no more
 * are added, because only a hostile file gets there. False: no memory.
 */
bool sprof_scopes_add_ranges(struct sprof_ranges *ranges, const struct sprof_image *image,
	Dwarf_Die *die, struct sprof_range *range, size_t *budget);

/* Reads the unit's tree of DIEs, once. False: no memory. */
bool sprof_scopes_load(struct sprof_scopes *scopes, const struct sprof_image *image,
	Dwarf_Die *unit, size_t *budget);

/* The innermost container of what is at the offset, not counting itself; SPROF_SCOPE_NONE: none. */
uint32_t sprof_scopes_container(const struct sprof_scopes *scopes, Dwarf_Off offset);

void sprof_scopes_finish(struct sprof_scopes *scopes);

#endif
