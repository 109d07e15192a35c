/*
 * The children of a DIE by libdw, in file order. Always ends, although sibling references in a
 * corrupt file may point back.
 */
#ifndef SPROF_ELFSYM_DWARF_DIE_CHILDREN_H
#define SPROF_ELFSYM_DWARF_DIE_CHILDREN_H

#include <elfutils/libdw.h>
#include <stdbool.h>

enum { SPROF_MAX_DIE_CHILDREN = 20000 }; /* limit per function or type */

struct sprof_die_children {
	Dwarf_Die parent, die; /* the current child */
	unsigned count;
};

/* Moves to the next child, initially the first. Returns false at the end. */
static inline bool sprof_die_children_next(struct sprof_die_children *children)
{
	if (children->count++ == SPROF_MAX_DIE_CHILDREN)
		return false;
	if (children->count == 1)
		return dwarf_child(&children->parent, &children->die) == 0;
	return dwarf_siblingof(&children->die, &children->die) == 0;
}

#endif
