/*
 * Goes through the children of a DIE with libdw, in file order. In a corrupt file DW_AT_sibling may
 * lead back; each walk still ends, because offsets must rise: `last` is the highest one so far, in
 * nested lists too.
 */
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>

static inline bool sprof_die_rises(Dwarf_Die *die, Dwarf_Off *last)
{
	const Dwarf_Off before = *last;

	*last = dwarf_dieoffset(die);
	return *last > before;
}

/* Goes to the first child. Returns false if there is none. */
static inline bool sprof_die_child(Dwarf_Die *parent, Dwarf_Off *last, Dwarf_Die *ret)
{
	*last = dwarf_dieoffset(parent);
	return dwarf_child(parent, ret) == 0 && sprof_die_rises(ret, last);
}

/* Replaces *die with its next sibling. Returns false at the end. */
static inline bool sprof_die_sibling(Dwarf_Die *die, Dwarf_Off *last)
{
	return dwarf_siblingof(die, die) == 0 && sprof_die_rises(die, last);
}

/* The children of a DIE, one after the other. */
struct sprof_die_children {
	Dwarf_Die parent, die; /* the current child */
	Dwarf_Off last;
	bool has_begun;
};

/* Goes to the next child, at first to the first one. Returns false at the end. */
static inline bool sprof_die_children_next(struct sprof_die_children *children)
{
	if (children->has_begun)
		return sprof_die_sibling(&children->die, &children->last);
	children->has_begun = true;
	return sprof_die_child(&children->parent, &children->last, &children->die);
}

static inline bool sprof_die_is_call(int tag)
{
	return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site;
}

/* Whether the DIE is a block of code in a function. */
static inline bool sprof_die_is_block(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine ||
		tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static inline bool sprof_die_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	bool value = false;

	return dwarf_formflag(dwarf_attr(die, name, &attribute), &value) == 0 && value;
}
