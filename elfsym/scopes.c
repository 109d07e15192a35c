/*
 * What has code in a compilation unit, read in steps: first its functions, as they stand in the unit
 * and its namespaces; then, of a function that is asked for, what was inlined into it. The rest of the
 * unit, which is types for the most part, is only searched for an address that is in no function so
 * far. libdw's dwarf_getscopes walks the whole unit again for each address.
 *
 * Knows which tags can hold code or lead to it; names and lines are dwarf.c's matter. Broken sibling
 * attributes can't make a walk endless: each only ever goes to higher offsets.
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
	struct sprof_ranges *inlined; /* of the function that is walked */
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

/* Moves on to the next DIE of a list; *begun is false before the first. False: the end. */
static bool next_child(struct walk *walk, Dwarf_Die *parent, Dwarf_Die *child, bool *begun)
{
	Dwarf_Off offset;

	if (*begun ? dwarf_siblingof(child, child) != 0 : dwarf_child(parent, child) != 0)
		return false;
	*begun = true;
	offset = dwarf_dieoffset(child);
	if (offset <= walk->last_offset)
		return false;
	walk->last_offset = offset;
	return true;
}

static bool append_scope(
	struct sprof_scopes *scopes, const Dwarf_Die *die, uint32_t parent, uint32_t *ret)
{
	if (!sprof_array_reserve(
		    &scopes->items, &scopes->capacity, scopes->count + 1, sizeof(*scopes->items)))
		return false;
	*ret = (uint32_t)scopes->count;
	scopes->items[scopes->count++] = (struct sprof_scope){.die = *die, .parent = parent};
	return true;
}

/* A function without code is none. */
static bool add_function(struct walk *walk, Dwarf_Die *die, uint32_t priority)
{
	struct sprof_scopes *scopes = walk->scopes;
	struct sprof_range range = {
		.value = (uint32_t)scopes->function_count, .priority = priority};
	size_t before = scopes->ranges.count;
	uint32_t scope;

	if (scopes->count >= SPROF_SCOPE_NONE)
		return true;
	if (!sprof_scopes_add_ranges(&scopes->ranges, walk->image, die, &range, walk->budget))
		return false;
	if (scopes->ranges.count == before)
		return true;
	if (!append_scope(scopes, die, SPROF_SCOPE_NONE, &scope) ||
		!sprof_array_reserve(&scopes->functions, &scopes->function_capacity,
			scopes->function_count + 1, sizeof(*scopes->functions)))
		return false;
	scopes->functions[scopes->function_count++] =
		(struct sprof_scope_function){.scope = scope};
	return true;
}

/* *ret is the container's index, or stays when the DIE is none or has nothing in it. */
static bool add_container(
	struct sprof_scopes *scopes, Dwarf_Die *die, bool is_open, uint32_t parent, uint32_t *ret)
{
	if (!dwarf_haschildren(die) || scopes->container_count >= SPROF_SCOPE_NONE)
		return true;
	if (!sprof_array_reserve(&scopes->containers, &scopes->container_capacity,
		    scopes->container_count + 1, sizeof(*scopes->containers)))
		return false;
	*ret = (uint32_t)scopes->container_count;
	scopes->containers[scopes->container_count++] = (struct sprof_container){
		.begin = dwarf_dieoffset(die),
		.end = UINT64_MAX,
		.parent = parent,
		.is_open = is_open,
	};
	return true;
}

/* The functions of the unit, or of a namespace. */
static bool walk_open(struct walk *walk, Dwarf_Die *parent, uint32_t container, unsigned depth)
{
	uint32_t last = SPROF_SCOPE_NONE;
	bool begun = false, ok = true;
	Dwarf_Die child;

	while (ok && depth < MAX_DEPTH && next_child(walk, parent, &child, &begun)) {
		int tag = dwarf_tag(&child);

		if (last != SPROF_SCOPE_NONE)
			walk->scopes->containers[last].end = walk->last_offset;
		last = SPROF_SCOPE_NONE;
		if (tag == DW_TAG_namespace || tag == DW_TAG_module) {
			ok = add_container(walk->scopes, &child, true, container, &last) &&
			     walk_open(walk, &child, last, depth + 1);
		} else if (tag == DW_TAG_subprogram) {
			ok = add_function(walk, &child, 0) &&
			     add_container(walk->scopes, &child, false, container, &last);
		} else if (tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
			   tag == DW_TAG_union_type) {
			ok = add_container(walk->scopes, &child, false, container, &last);
		}
	}
	return ok;
}

bool sprof_scopes_load(struct sprof_scopes *scopes, const struct sprof_image *image,
	Dwarf_Die *unit, size_t *budget)
{
	struct walk walk = {
		.scopes = scopes,
		.image = image,
		.budget = budget,
		.last_offset = dwarf_dieoffset(unit),
	};

	return walk_open(&walk, unit, SPROF_SCOPE_NONE, 0) && sprof_ranges_settle(&scopes->ranges);
}

/* Functions that stand in classes and in functions. */
static bool walk_closed(struct walk *walk, Dwarf_Die *parent, unsigned depth)
{
	bool begun = false, ok = true;
	Dwarf_Die child;

	while (ok && depth < MAX_DEPTH && next_child(walk, parent, &child, &begun)) {
		if (dwarf_tag(&child) == DW_TAG_subprogram)
			ok = add_function(walk, &child, 1);
		ok = ok && walk_closed(walk, &child, depth + 1);
	}
	return ok;
}

static bool search_deeper(struct walk *walk)
{
	struct sprof_scopes *scopes = walk->scopes;
	size_t before = scopes->function_count;
	bool ok = true;

	scopes->searched_deeper = true;
	for (size_t i = 0; ok && i < scopes->container_count; i++) {
		Dwarf *dwarf = dwarf_cu_getdwarf(scopes->items[0].die.cu);
		Dwarf_Die die;

		if (scopes->containers[i].is_open ||
			!dwarf_offdie(dwarf, scopes->containers[i].begin, &die))
			continue;
		walk->last_offset = scopes->containers[i].begin;
		ok = walk_closed(walk, &die, 0);
	}
	return ok && (scopes->function_count == before || sprof_ranges_settle(&scopes->ranges));
}

/* What is inlined deeper belongs to the innermost scope that has code. */
static bool walk_function(struct walk *walk, Dwarf_Die *parent, uint32_t scope, unsigned depth)
{
	bool begun = false, ok = true;
	Dwarf_Die child;

	while (ok && depth < MAX_DEPTH && next_child(walk, parent, &child, &begun)) {
		struct sprof_range range = {
			.value = (uint32_t)walk->scopes->count, .priority = depth};
		size_t before = walk->inlined->count;
		uint32_t inner = scope;

		switch (dwarf_tag(&child)) {
		case DW_TAG_inlined_subroutine:
			ok = sprof_scopes_add_ranges(
				walk->inlined, walk->image, &child, &range, walk->budget);
			if (ok && walk->inlined->count > before)
				ok = append_scope(walk->scopes, &child, scope, &inner);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_with_stmt:
			break;
		default:
			continue;
		}
		ok = ok && walk_function(walk, &child, inner, depth + 1);
	}
	return ok;
}

static bool load_function(struct walk *walk, uint32_t index)
{
	struct sprof_scope_function *function = &walk->scopes->functions[index];
	Dwarf_Die die = walk->scopes->items[function->scope].die;

	function->walked = true;
	walk->inlined = &function->inlined;
	walk->last_offset = dwarf_dieoffset(&die);
	return walk_function(walk, &die, function->scope, 0) &&
	       sprof_ranges_settle(&function->inlined);
}

bool sprof_scopes_find(struct sprof_scopes *scopes, const struct sprof_image *image,
	uint64_t address, size_t *budget, uint32_t *ret)
{
	struct walk walk = {.scopes = scopes, .image = image, .budget = budget};
	uint32_t index = sprof_ranges_find(&scopes->ranges, address);

	if (index == SPROF_RANGES_NONE && !scopes->searched_deeper && scopes->count) {
		if (!search_deeper(&walk))
			return false;
		index = sprof_ranges_find(&scopes->ranges, address);
	}
	*ret = SPROF_SCOPE_NONE;
	if (index == SPROF_RANGES_NONE)
		return true;
	if (!scopes->functions[index].walked && !load_function(&walk, index))
		return false;
	*ret = sprof_ranges_find(&scopes->functions[index].inlined, address);
	if (*ret == SPROF_RANGES_NONE)
		*ret = scopes->functions[index].scope;
	return true;
}

/* The last container of a list is known to end only where its parent does. */
uint32_t sprof_scopes_container(const struct sprof_scopes *scopes, Dwarf_Off offset)
{
	size_t low = 0, high = scopes->container_count;
	uint32_t result;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (scopes->containers[middle].begin < offset)
			low = middle + 1;
		else
			high = middle;
	}
	result = low ? (uint32_t)low - 1 : SPROF_SCOPE_NONE;
	for (uint32_t i = result; i != SPROF_SCOPE_NONE; i = scopes->containers[i].parent) {
		if (scopes->containers[i].end <= offset)
			result = scopes->containers[i].parent;
	}
	return result;
}

void sprof_scopes_finish(struct sprof_scopes *scopes)
{
	for (size_t i = 0; i < scopes->function_count; i++)
		sprof_ranges_finish(&scopes->functions[i].inlined);
	free(scopes->functions);
	free(scopes->items);
	free(scopes->containers);
	sprof_ranges_finish(&scopes->ranges);
	*scopes = (struct sprof_scopes){0};
}
