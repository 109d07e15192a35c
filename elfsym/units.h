/*
 * The compilation units of a file, and the code that each of them has.
 */
#ifndef SPROF_ELFSYM_UNITS_H
#define SPROF_ELFSYM_UNITS_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "elfsym/image.h"
#include "elfsym/lines.h"
#include "elfsym/ranges.h"
#include "elfsym/scopes.h"

struct sprof_unit {
	Dwarf_Die die;  /* with the line table; .addr NULL: not read yet */
	Dwarf_Die tree; /* with the functions: the same DIE, or the .dwo file's */
	Dwarf_Off offset;
	bool loaded, has_lines;
	struct sprof_scopes scopes;
	struct sprof_lines lines; /* once the unit has them */
};

/* Zeroed is empty and valid. */
struct sprof_units {
	struct sprof_unit *items; /* in the order of the file */
	size_t count, capacity;
	struct sprof_ranges ranges; /* -> index of the unit */
};

/* All must outlive the units. */
struct sprof_units_source {
	Dwarf *dwarf;
	const struct sprof_image *image; /* its segments tell where code is */
	size_t *budget;                  /* how many more ranges the file may have */
};

/*
 * Those that .debug_aranges knows, at less cost. It may not tell all: few compilers except gcc write it, and for each
 * unit by itself. Each of its ranges counts against the budget. False: no memory.
 */
bool sprof_units_read_index(
	struct sprof_units *units, const struct sprof_units_source *source) SPROF_MUST_USE;

/* All that have code: reads the first DIE of each. False: no memory. */
bool sprof_units_read_all(
	struct sprof_units *units, const struct sprof_units_source *source) SPROF_MUST_USE;

/* NULL: none has code there. */
struct sprof_unit *sprof_units_find(struct sprof_units *units, Dwarf *dwarf, uint64_t address);

void sprof_units_finish(struct sprof_units *units);

#endif
