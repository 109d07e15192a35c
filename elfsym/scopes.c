/*
 * What has code in a compilation unit, read in steps: first its functions, as they stand in the
 * unit and its namespaces; then, of a function that is asked for, what was inlined into it. The
 * rest of the unit, which is types for the most part, is only searched for an address that is in no
 * function so far. libdw's dwarf_getscopes walks the whole unit again for each address.
 *
 * Knows which tags can hold code or lead to it; names and lines are dwarf.c's matter. Broken
 * sibling attributes can't make a walk endless: each only ever goes to higher offsets.
 */
#include "elfsym/scopes.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"
#include "elfsym/skim.h"

/* Deeper nesting than any compiler makes, shallow enough for the stack. */
enum {
	MAX_DEPTH = 500
};

struct walk {
	struct sprof_scopes *scopes;
	const struct sprof_image *image;
	size_t *budget;
	Dwarf *dwarf;
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
	scopes->functions[scopes->function_count++] = (struct sprof_scope_function){.scope = scope};
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
		if (tag == DW_TAG_subprogram)
			ok = add_function(walk, &child, 0);
		if (ok && dwarf_haschildren(&child) && (is_open_tag(tag) || is_closed_tag(tag)))
			ok = add_container(walk->scopes, walk->last_offset, is_open_tag(tag),
				container, &last);
		if (ok && is_open_tag(tag))
			ok = walk_open(walk, &child, last, depth + 1);
	}
	return ok;
}

/* What walk_open() does, without libdw but for functions that have code. False: broken, or no
 * memory. */
static bool skim_open(struct walk *walk, const uint8_t **at, uint32_t container, unsigned depth)
{
	struct sprof_scopes *scopes = walk->scopes;
	uint32_t last = SPROF_SCOPE_NONE;
	struct sprof_skim_die die;
	enum sprof_skim_step step;
	bool ok = depth < MAX_DEPTH;
	Dwarf_Die function;

	while (ok && (step = sprof_skim_next(scopes->skim, at, &die)) != SPROF_SKIM_END) {
		int tag = step == SPROF_SKIM_DIE ? die.kind->tag : 0;

		if (!tag)
			return false;
		if (last != SPROF_SCOPE_NONE)
			scopes->containers[last].end = die.offset;
		last = SPROF_SCOPE_NONE;
		if (tag == DW_TAG_subprogram && die.kind->has_code)
			ok = dwarf_offdie(walk->dwarf, die.offset, &function) &&
			     add_function(walk, &function, 0);
		if (!ok || !die.kind->has_children)
			continue;
		if (is_open_tag(tag) || is_closed_tag(tag))
			ok = add_container(scopes, die.offset, is_open_tag(tag), container, &last);
		if (ok && is_open_tag(tag))
			ok = skim_open(walk, at, last, depth + 1);
		else
			ok = ok && sprof_skim_pass(scopes->skim, &die, at);
	}
	return ok;
}

/* False: libdw must do it. */
static bool skim_unit(struct walk *walk, const struct sprof_image *debug, Dwarf_Die *unit)
{
	struct sprof_skim *skim = debug ? calloc(1, sizeof(*skim)) : NULL;
	const uint8_t *first;

	walk->scopes->skim = skim;
	if (!skim || !sprof_skim_open(skim, debug, unit))
		return false;
	first = sprof_skim_children(skim, dwarf_dieoffset(unit));
	return first && skim_open(walk, &first, SPROF_SCOPE_NONE, 0);
}

bool sprof_scopes_load(struct sprof_scopes *scopes, const struct sprof_image *image,
	const struct sprof_image *debug, Dwarf_Die *unit, size_t *budget)
{
	struct walk walk = {
		.scopes = scopes,
		.image = image,
		.budget = budget,
		.dwarf = dwarf_cu_getdwarf(unit->cu),
		.last_offset = dwarf_dieoffset(unit),
	};

	if (skim_unit(&walk, debug, unit))
		return sprof_ranges_settle(&scopes->ranges);
	sprof_scopes_finish(scopes);
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

static bool skim_closed(struct walk *walk, const uint8_t **at, unsigned depth)
{
	struct sprof_skim_die die;
	enum sprof_skim_step step;
	Dwarf_Die function;
	bool ok = depth < MAX_DEPTH;

	while (ok && (step = sprof_skim_next(walk->scopes->skim, at, &die)) != SPROF_SKIM_END) {
		if (step == SPROF_SKIM_BROKEN)
			return true;
		if (die.kind->tag == DW_TAG_subprogram && die.kind->has_code &&
			dwarf_offdie(walk->dwarf, die.offset, &function))
			ok = add_function(walk, &function, 1);
		if (ok && die.kind->has_children)
			ok = skim_closed(walk, at, depth + 1);
	}
	return ok;
}

static bool search_container(struct walk *walk, const struct sprof_container *container)
{
	const uint8_t *at;
	Dwarf_Die die;

	if (walk->scopes->skim) {
		at = sprof_skim_children(walk->scopes->skim, container->begin);
		return !at || skim_closed(walk, &at, 0);
	}
	walk->last_offset = container->begin;
	return !dwarf_offdie(walk->dwarf, container->begin, &die) || walk_closed(walk, &die, 0);
}

static bool search_deeper(struct walk *walk)
{
	struct sprof_scopes *scopes = walk->scopes;
	size_t before = scopes->function_count;
	bool ok = true;

	scopes->searched_deeper = true;
	for (size_t i = 0; ok && i < scopes->container_count; i++) {
		if (!scopes->containers[i].is_open)
			ok = search_container(walk, &scopes->containers[i]);
	}
	return ok && (scopes->function_count == before || sprof_ranges_settle(&scopes->ranges));
}

/* *scope becomes the inlined function's own, if it has code. */
static bool add_inlined(struct walk *walk, Dwarf_Die *die, unsigned depth, uint32_t *scope)
{
	struct sprof_range range = {.value = (uint32_t)walk->scopes->count, .priority = depth};
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

/* What is inlined deeper belongs to the innermost scope that has code. */
static bool walk_function(struct walk *walk, Dwarf_Die *parent, uint32_t scope, unsigned depth)
{
	bool begun = false, ok = true;
	Dwarf_Die child;

	while (ok && depth < MAX_DEPTH && next_child(walk, parent, &child, &begun)) {
		int tag = dwarf_tag(&child);
		uint32_t inner = scope;

		if (tag == DW_TAG_inlined_subroutine)
			ok = add_inlined(walk, &child, depth, &inner);
		else if (!is_block_tag(tag))
			continue;
		ok = ok && walk_function(walk, &child, inner, depth + 1);
	}
	return ok;
}

/* The same without libdw but for what is inlined. Broken DIEs end the function; false: no memory.
 */
static bool skim_function(struct walk *walk, const uint8_t **at, uint32_t scope, unsigned depth)
{
	const struct sprof_skim *skim = walk->scopes->skim;
	struct sprof_skim_die die;
	enum sprof_skim_step step;
	Dwarf_Die child;

	while ((step = sprof_skim_next(skim, at, &die)) == SPROF_SKIM_DIE) {
		bool is_inlined = die.kind->tag == DW_TAG_inlined_subroutine;
		uint32_t inner = scope;

		if (is_inlined && die.kind->has_code &&
			dwarf_offdie(walk->dwarf, die.offset, &child) &&
			!add_inlined(walk, &child, depth, &inner))
			return false;
		if (!die.kind->has_children)
			continue;
		if ((is_inlined || is_block_tag(die.kind->tag)) && depth < MAX_DEPTH) {
			if (!skim_function(walk, at, inner, depth + 1))
				return false;
		} else if (!sprof_skim_pass(skim, &die, at)) {
			break;
		}
	}
	if (step != SPROF_SKIM_END)
		*at = skim->info.end;
	return true;
}

static bool load_function(struct walk *walk, uint32_t index)
{
	struct sprof_scope_function *function = &walk->scopes->functions[index];
	Dwarf_Die die = walk->scopes->items[function->scope].die;
	const uint8_t *at;
	bool ok;

	function->walked = true;
	walk->inlined = &function->inlined;
	walk->last_offset = dwarf_dieoffset(&die);
	if (walk->scopes->skim) {
		at = sprof_skim_children(walk->scopes->skim, walk->last_offset);
		ok = !at || skim_function(walk, &at, function->scope, 0);
	} else {
		ok = walk_function(walk, &die, function->scope, 0);
	}
	return ok && sprof_ranges_settle(&function->inlined);
}

bool sprof_scopes_find(struct sprof_scopes *scopes, const struct sprof_image *image,
	uint64_t address, size_t *budget, uint32_t *ret)
{
	struct walk walk = {.scopes = scopes, .image = image, .budget = budget};
	uint32_t index = sprof_ranges_find(&scopes->ranges, address);

	if (scopes->count)
		walk.dwarf = dwarf_cu_getdwarf(scopes->items[0].die.cu);
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
	if (scopes->skim)
		sprof_skim_close(scopes->skim);
	free(scopes->skim);
	free(scopes->functions);
	free(scopes->items);
	free(scopes->containers);
	sprof_ranges_finish(&scopes->ranges);
	*scopes = (struct sprof_scopes){0};
}
