/*
 * Finds compilation units by address, through libdw: by the ranges of each unit's first DIE, or by
 * .debug_aranges for a unit without them. Does not read the inside of a unit.
 */
#include "elfsym/dwarf/units.h"

#include <dwarf.h>
#include <stdlib.h>

#include "base/array.h"

static bool add_unit(struct sprof_units *units, const struct sprof_unit *unit)
{
	return SPROF_ARRAY_APPEND(units->items, units->count, units->capacity, *unit);
}

/* Units without ranges are recorded in `bare`: offset -> index. */
static bool add_with_ranges(struct sprof_units *units, const struct sprof_units_source *source,
	Dwarf_Die *die, struct sprof_ranges *bare)
{
	const Dwarf_Off offset = dwarf_dieoffset(die);
	struct sprof_range range = {.value = (uint32_t)units->count};
	size_t before = units->ranges.count;

	if (!add_unit(units, &(struct sprof_unit){.die = *die, .tree = *die}) ||
		!sprof_scopes_add_ranges(
			&units->ranges, source->image, die, &range, source->budget))
		return false;
	if (units->ranges.count != before)
		return true;
	range.low = offset;
	range.high = offset + 1;
	return sprof_ranges_add(bare, &range);
}

/* Adds the ranges of .debug_aranges for the units in `wanted`. */
static bool add_aranges(struct sprof_units *units, const struct sprof_units_source *source,
	const struct sprof_ranges *wanted)
{
	struct sprof_range range = {0};
	Dwarf_Aranges *aranges;
	Dwarf_Off offset;
	Dwarf_Addr start;
	Dwarf_Word length;
	size_t count;

	if (!wanted->count || dwarf_getaranges(source->dwarf, &aranges, &count) != 0)
		return true;
	for (size_t i = 0; i < count && *source->budget; i++, --*source->budget) {
		if (dwarf_getarangeinfo(dwarf_onearange(aranges, i), &start, &length, &offset))
			continue;
		range.value = sprof_ranges_find(wanted, offset);
		range.low = start;
		range.high = start + length;
		if (range.value != SPROF_RANGES_NONE &&
			sprof_image_executable(source->image, start) &&
			!sprof_ranges_add(&units->ranges, &range))
			return false;
	}
	return true;
}

bool sprof_units_read(struct sprof_units *units, const struct sprof_units_source *source)
{
	struct sprof_ranges bare = {0};
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;
	bool ok = true;

	while (ok && dwarf_get_units(source->dwarf, unit, &unit, NULL, &type, &die, NULL) == 0) {
		if (type == DW_UT_compile || type == DW_UT_skeleton)
			ok = add_with_ranges(units, source, &die, &bare);
	}
	ok = ok && sprof_ranges_settle(&bare) && add_aranges(units, source, &bare) &&
		sprof_ranges_settle(&units->ranges);
	sprof_ranges_finish(&bare);
	return ok;
}

struct sprof_unit *sprof_units_find(struct sprof_units *units, uint64_t address)
{
	const uint32_t index = sprof_ranges_find(&units->ranges, address);

	return index == SPROF_RANGES_NONE ? NULL : &units->items[index];
}

void sprof_units_finish(struct sprof_units *units)
{
	for (size_t i = 0; i < units->count; i++) {
		sprof_scopes_finish(&units->items[i].scopes);
		sprof_lines_finish(&units->items[i].lines);
	}
	free(units->items);
	sprof_ranges_finish(&units->ranges);
}
