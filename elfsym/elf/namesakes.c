/*
 * Decides which symbols need their unit as a distinction: those whose name occurs in several units.
 * All others do without it, because the table is unreliable: an object file without an STT_FILE
 * symbol seems to continue the unit before it.
 */
#include "elfsym/elf/namesakes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/strings.h"

/* Longer names are not read. */
enum { LONGEST = 1024 };

/*
 * Linkers that optimise name units after temporary objects, and Rust after its codegen units
 * ("x.0f-cgu.0"). Go gives all units one name.
 */
static bool is_source(const char *name)
{
	return name[0] && strnlen(name, LONGEST) < LONGEST && name[0] != '<' &&
		!sprof_string_ends_with(name, ".o") && !strstr(name, "-cgu.") &&
		strcmp(name, "go.go") != 0;
}

bool sprof_unit_files_add(struct sprof_unit_files *units, const char *name, uint32_t *ret_unit)
{
	*ret_unit = 0;
	if (!is_source(name) || units->count >= UINT32_MAX)
		return true;
	if (!SPROF_ARRAY_APPEND(units->names, units->count, units->capacity, name))
		return false;
	*ret_unit = (uint32_t)units->count;
	return true;
}

static const char *keep(struct sprof_unit_files *units, const char *text)
{
	if (!units->files)
		units->files = sprof_strtab_create();
	return units->files ? sprof_strtab_intern(units->files, text) : NULL;
}

const char *sprof_unit_files_text(struct sprof_unit_files *units, uint32_t unit, uint32_t number)
{
	char text[LONGEST + 24];

	if (!number)
		return units->names[unit - 1];
	snprintf(text, sizeof(text), "%s (%" PRIu32 ")", units->names[unit - 1], number);
	return keep(units, text);
}

const char *sprof_unit_files_place(struct sprof_unit_files *units, uint64_t address)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	return keep(units, text);
}

void sprof_unit_files_finish(struct sprof_unit_files *units)
{
	free(units->names);
	sprof_strtab_destroy(units->files);
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Sorts by name, unit's name, unit and place; parts come after their functions. */
static int compare(const void *left, const void *right)
{
	const struct sprof_namesake *a = left, *b = right;
	int result = order(a->name, b->name);

	if (!result)
		result = order(a->file, b->file);
	if (!result)
		result = order(a->unit, b->unit);
	if (!result)
		result = order(a->place, b->place);
	return result ? result : a->is_part - b->is_part;
}

/*
 * Numbers the symbols of one name in one unit. Returns false if all are parts of a function
 * elsewhere.
 */
static bool settle_unit(struct sprof_namesake *items, size_t count, uint32_t number)
{
	for (size_t i = 0; i < count; i++) {
		items[i].number = number;
		items[i].needs_unit = (items[0].unit || items[0].place) && !items[0].is_part;
	}
	return !items[0].is_part;
}

static size_t run_length(const struct sprof_namesake *items, size_t count,
	int (*differs)(const void *, const void *))
{
	size_t length = 1;

	while (length < count && differs(&items[0], &items[length]) == 0)
		length++;
	return length;
}

static int compare_names(const void *left, const void *right)
{
	const struct sprof_namesake *a = left, *b = right;

	return order(a->name, b->name);
}

static int compare_files(const void *left, const void *right)
{
	const struct sprof_namesake *a = left, *b = right;

	return order(a->file, b->file);
}

static int compare_units(const void *left, const void *right)
{
	const struct sprof_namesake *a = left, *b = right;

	return order(a->unit, b->unit) ? order(a->unit, b->unit) : order(a->place, b->place);
}

/* Numbers the units of one name. Returns how many of them have functions. */
static size_t settle_file(struct sprof_namesake *items, size_t count)
{
	const bool are_several = run_length(items, count, compare_units) < count;
	size_t functions = 0;
	uint32_t number = 0;

	for (size_t first = 0, length; first < count; first += length) {
		length = run_length(&items[first], count - first, compare_units);
		number += are_several && !items[first].is_part;
		functions += settle_unit(&items[first], length, number);
	}
	return functions;
}

static void settle_name(struct sprof_namesake *items, size_t count)
{
	size_t functions = 0;

	for (size_t first = 0, length; first < count; first += length) {
		length = run_length(&items[first], count - first, compare_files);
		functions += settle_file(&items[first], length);
	}
	for (size_t i = 0; functions < 2 && i < count; i++)
		items[i].needs_unit = false;
}

void sprof_namesakes_judge(
	struct sprof_namesake *items, size_t count, const struct sprof_unit_files *units)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = items[i].unit ? units->names[items[i].unit - 1] : "";

		items[i].file = sprof_hash_bytes(name, strnlen(name, LONGEST), SPROF_HASH_BASIS);
	}
	if (count)
		qsort(items, count, sizeof(*items), compare);
	for (size_t first = 0, length; first < count; first += length) {
		length = run_length(&items[first], count - first, compare_names);
		settle_name(&items[first], length);
	}
}
