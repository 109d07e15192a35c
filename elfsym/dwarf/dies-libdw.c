/*
 * libdw as a reader of DIEs. A broken DW_AT_sibling can't make a list endless: offsets only rise.
 */
#include "elfsym/dwarf/dies.h"

#include <dwarf.h>

#include "base/array.h"

static bool push(struct sprof_dies *dies, const Dwarf_Die *die)
{
	if (!sprof_array_reserve(&dies->levels, &dies->level_capacity, dies->level_count + 1,
		    sizeof(*dies->levels))) {
		dies->no_memory = true;
		dies->level_count = 0;
		return false;
	}
	dies->levels[dies->level_count++] = *die;
	return true;
}

/* dwarf_offdie() doesn't find the units of .debug_types. */
static bool enter(struct sprof_dies *dies, Dwarf_Off parent)
{
	Dwarf_Die die = dies->unit;

	if (parent != dwarf_dieoffset(&die) &&
		!dwarf_offdie(dwarf_cu_getdwarf(dies->unit.cu), parent, &die))
		return false;
	dies->level_count = 0;
	dies->last_offset = parent;
	dies->goes_down = true;
	return dwarf_haschildren(&die) > 0 && push(dies, &die);
}

static bool moves_on(struct sprof_dies *dies, Dwarf_Die *die)
{
	if (dwarf_dieoffset(die) <= dies->last_offset)
		return false;
	dies->last_offset = dwarf_dieoffset(die);
	return true;
}

static bool go_down(struct sprof_dies *dies)
{
	Dwarf_Die child;

	dies->goes_down = false;
	return dwarf_child(&dies->levels[dies->level_count - 1], &child) == 0 &&
		moves_on(dies, &child) && push(dies, &child);
}

static bool go_on(struct sprof_dies *dies)
{
	Dwarf_Die *present = &dies->levels[dies->level_count - 1], sibling;

	if (dies->level_count < 2)
		return false;
	if (dwarf_siblingof(present, &sibling) == 0 && moves_on(dies, &sibling)) {
		*present = sibling;
		return true;
	}
	dies->level_count--;
	return false;
}

static bool has_code(Dwarf_Die *die, int tag)
{
	return (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) &&
		(dwarf_hasattr(die, DW_AT_low_pc) || dwarf_hasattr(die, DW_AT_ranges));
}

static bool next(struct sprof_dies *dies, struct sprof_die *ret)
{
	Dwarf_Die *present;

	if (!dies->level_count || !(dies->goes_down ? go_down(dies) : go_on(dies)))
		return false;
	present = &dies->levels[dies->level_count - 1];
	*ret = (struct sprof_die){
		.offset = dies->last_offset,
		.tag = dwarf_tag(present),
		.has_children = dwarf_haschildren(present) > 0,
	};
	ret->has_code = has_code(present, ret->tag);
	dies->goes_down = ret->has_children;
	return true;
}

static void skip(struct sprof_dies *dies)
{
	dies->goes_down = false;
}

const struct sprof_dies_reader sprof_dies_libdw = {.enter = enter, .next = next, .skip = skip};
