/*
 * One walk over the DIEs of a compilation unit, after which every address in it costs one binary
 * search: libdw's dwarf_getscopes walks the unit again for each address. Knows which tags can hold
 * code or lead to it; names and lines are dwarf.c's matter. Broken sibling attributes can't make
 * the walk endless: it only ever goes to higher offsets.
 */
#include "elfsym/scopes.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"

/* Deeper nesting than any compiler makes, shallow enough for the stack. */
enum {
	MAX_DEPTH = 500
};

struct walk {
	struct sprof_scopes *scopes;
	const struct sprof_image *image;
	size_t *budget;
	Dwarf_Off last_offset;
	uint32_t container;
};

bool sprof_scopes_add_ranges(struct sprof_ranges *ranges, const struct sprof_image *image,
	Dwarf_Die *die, struct sprof_range *range, size_t *budget)
{
	Dwarf_Addr base, low, high;
	ptrdiff_t position = 0;

	while (*budget && (position = dwarf_ranges(die, position, &base, &low, &high)) > 0) {
		--*budget;
		range->low = low;
		range->high = high;
		if (sprof_image_executable(image, low) && !sprof_ranges_add(ranges, range))
			return false;
	}
	return true;
}

/* *scope becomes the new scope if the DIE has code; else it stays, and so does what is inlined
 * deeper. */
static bool add_scope(
	struct walk *walk, Dwarf_Die *die, uint32_t parent, unsigned depth, uint32_t *scope)
{
	struct sprof_scopes *scopes = walk->scopes;
	struct sprof_range range = {.value = (uint32_t)scopes->count, .priority = depth};
	size_t before = scopes->ranges.count;

	if (scopes->count >= SPROF_SCOPE_NONE)
		return true;
	if (!sprof_scopes_add_ranges(&scopes->ranges, walk->image, die, &range, walk->budget))
		return false;
	if (scopes->ranges.count == before)
		return true;
	if (!sprof_array_reserve(
		    &scopes->items, &scopes->capacity, scopes->count + 1, sizeof(*scopes->items)))
		return false;
	*scope = (uint32_t)scopes->count;
	scopes->items[scopes->count++] = (struct sprof_scope){.die = *die, .parent = parent};
	return true;
}

static bool walk_children(struct walk *walk, Dwarf_Die *die, uint32_t scope, unsigned depth);

/* The container is known by its beginning; its end is where the walk has got to behind it. */
static bool walk_container(
	struct walk *walk, Dwarf_Die *die, int tag, uint32_t scope, unsigned depth)
{
	struct sprof_scopes *scopes = walk->scopes;
	uint32_t index = (uint32_t)scopes->container_count, parent = walk->container;
	bool ok;

	if (!dwarf_haschildren(die) || index >= SPROF_SCOPE_NONE)
		return true;
	if (!sprof_array_reserve(&scopes->containers, &scopes->container_capacity,
		    scopes->container_count + 1, sizeof(*scopes->containers)))
		return false;
	scopes->containers[scopes->container_count++] = (struct sprof_container){
		.begin = dwarf_dieoffset(die),
		.parent = parent,
		.is_function = tag == DW_TAG_subprogram,
	};
	walk->container = index;
	ok = walk_children(walk, die, scope, depth + 1);
	walk->container = parent;
	scopes->containers[index].end = walk->last_offset + 1;
	return ok;
}

static bool visit(struct walk *walk, Dwarf_Die *die, uint32_t scope, unsigned depth)
{
	int tag = dwarf_tag(die);

	switch (tag) {
	case DW_TAG_subprogram:
		scope = SPROF_SCOPE_NONE;
		if (!add_scope(walk, die, SPROF_SCOPE_NONE, depth, &scope))
			return false;
		return walk_container(walk, die, tag, scope, depth);
	case DW_TAG_inlined_subroutine:
		if (!add_scope(walk, die, scope, depth, &scope))
			return false;
		break;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		break;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return walk_container(walk, die, tag, scope, depth);
	default:
		return true;
	}
	return walk_children(walk, die, scope, depth + 1);
}

static bool walk_children(struct walk *walk, Dwarf_Die *die, uint32_t scope, unsigned depth)
{
	Dwarf_Die child;

	if (depth > MAX_DEPTH || dwarf_child(die, &child) != 0)
		return true;
	do {
		Dwarf_Off offset = dwarf_dieoffset(&child);

		if (offset <= walk->last_offset)
			return true;
		walk->last_offset = offset;
		if (!visit(walk, &child, scope, depth))
			return false;
	} while (dwarf_siblingof(&child, &child) == 0);
	return true;
}

bool sprof_scopes_load(struct sprof_scopes *scopes, const struct sprof_image *image,
	Dwarf_Die *unit, size_t *budget)
{
	struct walk walk = {
		.scopes = scopes,
		.image = image,
		.budget = budget,
		.last_offset = dwarf_dieoffset(unit),
		.container = SPROF_SCOPE_NONE,
	};

	return walk_children(&walk, unit, SPROF_SCOPE_NONE, 0) &&
	       sprof_ranges_settle(&scopes->ranges);
}

uint32_t sprof_scopes_container(const struct sprof_scopes *scopes, Dwarf_Off offset)
{
	size_t low = 0, high = scopes->container_count;
	uint32_t index;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scopes->containers[middle].begin < offset)
			low = middle + 1;
		else
			high = middle;
	}
	index = low ? (uint32_t)low - 1 : SPROF_SCOPE_NONE;
	while (index != SPROF_SCOPE_NONE && scopes->containers[index].end <= offset)
		index = scopes->containers[index].parent;
	return index;
}

void sprof_scopes_finish(struct sprof_scopes *scopes)
{
	free(scopes->items);
	free(scopes->containers);
	sprof_ranges_finish(&scopes->ranges);
	*scopes = (struct sprof_scopes){0};
}
