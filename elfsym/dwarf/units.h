/* The compilation units of a file, and the code that each covers. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "elfsym/dwarf/lines.h"
#include "elfsym/dwarf/scopes.h"
#include "elfsym/elf/image.h"
#include "elfsym/elf/ranges.h"

struct sprof_unit {
	Dwarf_Die die;  /* has the line table */
	Dwarf_Die tree; /* has the functions: the same DIE, or that of the .dwo file */
	bool loaded, has_lines;
	struct sprof_scopes scopes;
	struct sprof_lines lines; /* valid once loaded */
};

/* Zeroed is empty and valid. */
struct sprof_units {
	struct sprof_unit *items; /* in file order */
	size_t count, capacity;
	struct sprof_ranges ranges; /* -> index of the unit */
};

/* All must outlive the units. */
struct sprof_units_source {
	Dwarf *dwarf;
	const struct sprof_image *image; /* its segments define where code is */
	size_t *budget;                  /* remaining number of ranges allowed for the file */
};

/*
 * Reads the first DIE of each unit with code. Each range counts against the budget. Returns false
 * if out of memory.
 */
bool sprof_units_read(
	struct sprof_units *units, const struct sprof_units_source *source) SPROF_MUST_USE;

/* NULL if no unit has code there. */
struct sprof_unit *sprof_units_find(struct sprof_units *units, uint64_t address);

void sprof_units_finish(struct sprof_units *units);
