/*
 * Finds the functions of a compilation unit in steps: first the functions directly in the unit and
 * its namespaces; then, at the first lookup in a function, the calls inlined into it. The rest of
 * the unit, mostly types, is searched only for an address in no known function. libdw's
 * dwarf_getscopes would walk the whole unit again for each address. Handles the tags that can hold
 * code or lead to it. Does not handle names and lines (dwarf.c).
 *
 * A failure without an error means out of memory.
 */
#include "elfsym/dwarf/scopes.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/search.h"
#include "elfsym/dwarf/die-children.h"

/* Deeper nesting than any compiler makes, and shallow enough for the stack. */
enum { MAX_DEPTH = 500 };

struct walk {
	struct sprof_scopes *scopes;
	const struct sprof_image *image;
	size_t *budget;
	Dwarf_Off last;               /* see die-children.h */
	struct sprof_ranges *inlined; /* of the function that is walked */
};

/*
 * A scope's value in a table of ranges, and back: the first of scopes with the same range wins, as
 * in libdw. Assemblers describe each name of a function as a function.
 */
static uint32_t reversed(uint32_t index)
{
	return SPROF_RANGES_NONE - 1 - index;
}

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

static bool append_scope(
	struct sprof_scopes *scopes, const Dwarf_Die *die, uint32_t parent, uint32_t *ret)
{
	*ret = (uint32_t)scopes->count;
	return SPROF_ARRAY_APPEND(scopes->items, scopes->count, scopes->capacity,
		(struct sprof_scope){.die = *die, .parent = parent});
}

/* A function without code is skipped. */
static bool add_function(struct walk *walk, Dwarf_Die *die, uint32_t priority)
{
	struct sprof_scopes *scopes = walk->scopes;
	struct sprof_range range = {
		.value = reversed((uint32_t)scopes->function_count), .priority = priority};
	size_t before = scopes->ranges.count;
	uint32_t scope;

	if (scopes->count >= SPROF_SCOPE_NONE)
		return true;
	if (!sprof_scopes_add_ranges(&scopes->ranges, walk->image, die, &range, walk->budget))
		return false;
	if (scopes->ranges.count == before)
		return true;
	if (!append_scope(scopes, die, SPROF_SCOPE_NONE, &scope) ||
		!SPROF_ARRAY_APPEND(scopes->functions, scopes->function_count,
			scopes->function_capacity, (struct sprof_scope_function){.scope = scope}))
		return false;
	return true;
}

/* *ret is the container's index. */
static bool add_container(
	struct sprof_scopes *scopes, Dwarf_Off offset, bool is_open, uint32_t parent, uint32_t *ret)
{
	if (scopes->container_count >= SPROF_SCOPE_NONE)
		return true;
	if (!sprof_array_reserve(&scopes->containers, &scopes->container_capacity,
		    scopes->container_count + 1, sizeof(*scopes->containers)))
		return false;
	*ret = (uint32_t)scopes->container_count;
	scopes->containers[scopes->container_count++] = (struct sprof_container){
		.begin = offset,
		.end = UINT64_MAX,
		.parent = parent,
		.is_open = is_open,
	};
	return true;
}

static bool is_open_tag(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module;
}

static bool is_closed_tag(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_class_type ||
		tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Walks the functions of the unit or of a namespace. */
static bool walk_open(struct walk *walk, Dwarf_Die *parent, uint32_t container, unsigned depth)
{
	struct sprof_scopes *scopes = walk->scopes;
	uint32_t last = SPROF_SCOPE_NONE;
	Dwarf_Die die;

	for (bool found = sprof_die_child(parent, &walk->last, &die); found;
		found = sprof_die_sibling(&die, &walk->last)) {
		const int tag = dwarf_tag(&die);

		if (last != SPROF_SCOPE_NONE)
			scopes->containers[last].end = dwarf_dieoffset(&die);
		last = SPROF_SCOPE_NONE;
		if (tag == DW_TAG_subprogram && !add_function(walk, &die, 0))
			return false;
		if ((!is_open_tag(tag) && !is_closed_tag(tag)) || dwarf_haschildren(&die) <= 0)
			continue;
		if (!add_container(
			    scopes, dwarf_dieoffset(&die), is_open_tag(tag), container, &last))
			return false;
		if (is_open_tag(tag) && depth < MAX_DEPTH &&
			!walk_open(walk, &die, last, depth + 1))
			return false;
	}
	return true;
}

bool sprof_scopes_load(struct sprof_scopes *scopes, const struct sprof_image *image,
	Dwarf_Die *unit, size_t *budget)
{
	struct walk walk = {.scopes = scopes, .image = image, .budget = budget};

	return walk_open(&walk, unit, SPROF_SCOPE_NONE, 0) && sprof_ranges_settle(&scopes->ranges);
}

/* Walks functions inside classes and functions. */
static bool walk_closed(struct walk *walk, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;

	for (bool found = sprof_die_child(parent, &walk->last, &die); found;
		found = sprof_die_sibling(&die, &walk->last)) {
		if (dwarf_tag(&die) == DW_TAG_subprogram && !add_function(walk, &die, 1))
			return false;
		if (depth < MAX_DEPTH && !walk_closed(walk, &die, depth + 1))
			return false;
	}
	return true;
}

static bool search_deeper(struct walk *walk)
{
	struct sprof_scopes *scopes = walk->scopes;
	Dwarf *dwarf = dwarf_cu_getdwarf(scopes->items[0].die.cu);
	size_t before = scopes->function_count;
	Dwarf_Die die;

	scopes->searched_deeper = true;
	for (size_t i = 0; i < scopes->container_count; i++) {
		if (!scopes->containers[i].is_open &&
			dwarf_offdie(dwarf, scopes->containers[i].begin, &die) &&
			!walk_closed(walk, &die, 0))
			return false;
	}
	return scopes->function_count == before || sprof_ranges_settle(&scopes->ranges);
}

/* If the inlined function has code, *scope becomes its scope. */
static bool add_inlined(struct walk *walk, Dwarf_Die *die, unsigned depth, uint32_t *scope)
{
	struct sprof_range range = {
		.value = reversed((uint32_t)walk->scopes->count), .priority = depth};
	size_t before = walk->inlined->count;

	if (!sprof_scopes_add_ranges(walk->inlined, walk->image, die, &range, walk->budget))
		return false;
	return walk->inlined->count == before || append_scope(walk->scopes, die, *scope, scope);
}

static bool is_block_tag(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
		tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

/* Deeper inlined calls belong to the innermost scope with code. */
static bool walk_function(struct walk *walk, Dwarf_Die *parent, uint32_t scope, unsigned depth)
{
	Dwarf_Die die;

	for (bool found = sprof_die_child(parent, &walk->last, &die); found;
		found = sprof_die_sibling(&die, &walk->last)) {
		bool is_inlined = dwarf_tag(&die) == DW_TAG_inlined_subroutine;
		uint32_t inner = scope;

		if (is_inlined && !add_inlined(walk, &die, depth, &inner))
			return false;
		if ((is_inlined || is_block_tag(dwarf_tag(&die))) && depth < MAX_DEPTH &&
			!walk_function(walk, &die, inner, depth + 1))
			return false;
	}
	return true;
}

static bool load_function(struct walk *walk, uint32_t index)
{
	struct sprof_scope_function *function = &walk->scopes->functions[index];
	Dwarf_Die die = walk->scopes->items[function->scope].die;

	function->walked = true;
	walk->inlined = &function->inlined;
	return walk_function(walk, &die, function->scope, 0) &&
		sprof_ranges_settle(&function->inlined);
}

/* The index of the scope there; SPROF_SCOPE_NONE. */
static uint32_t find_scope(const struct sprof_ranges *ranges, uint64_t address)
{
	const uint32_t value = sprof_ranges_find(ranges, address);

	return value == SPROF_RANGES_NONE ? SPROF_SCOPE_NONE : reversed(value);
}

/* *ret is the function's index; SPROF_SCOPE_NONE. */
static bool find_index(struct walk *walk, uint64_t address, uint32_t *ret)
{
	struct sprof_scopes *scopes = walk->scopes;

	*ret = find_scope(&scopes->ranges, address);
	if (*ret != SPROF_SCOPE_NONE || scopes->searched_deeper || !scopes->count)
		return true;
	if (!search_deeper(walk))
		return false;
	*ret = find_scope(&scopes->ranges, address);
	return true;
}

bool sprof_scopes_find(struct sprof_scopes *scopes, const struct sprof_image *image,
	uint64_t address, size_t *budget, uint32_t *ret)
{
	struct walk walk = {.scopes = scopes, .image = image, .budget = budget};
	uint32_t index;

	if (!find_index(&walk, address, &index))
		return false;
	*ret = SPROF_SCOPE_NONE;
	if (index == SPROF_SCOPE_NONE)
		return true;
	if (!scopes->functions[index].walked && !load_function(&walk, index))
		return false;
	*ret = find_scope(&scopes->functions[index].inlined, address);
	if (*ret == SPROF_SCOPE_NONE)
		*ret = scopes->functions[index].scope;
	return true;
}

bool sprof_scopes_find_function(struct sprof_scopes *scopes, const struct sprof_image *image,
	uint64_t address, size_t *budget, uint32_t *ret)
{
	struct walk walk = {.scopes = scopes, .image = image, .budget = budget};
	uint32_t index;

	if (!find_index(&walk, address, &index))
		return false;
	*ret = index == SPROF_SCOPE_NONE ? SPROF_SCOPE_NONE : scopes->functions[index].scope;
	return true;
}

/* The last container of a list ends where its parent does; its own end is unknown. */
uint32_t sprof_scopes_container(const struct sprof_scopes *scopes, Dwarf_Off offset)
{
	const size_t low = sprof_lower_bound(scopes->containers, scopes->container_count,
		SPROF_KEY(scopes->containers, begin, offset));
	uint32_t result;

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
