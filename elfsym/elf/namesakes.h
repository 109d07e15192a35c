/*
 * Symbols that have the same name in several compilation units: only their units or addresses
 * distinguish them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/strtab.h"

/* The compilation units of a symbol table, by the names of its STT_FILE symbols. */
struct sprof_unit_files {
	const char **names; /* in the image */
	size_t count, capacity;
	struct sprof_strtab *files; /* those with a number, and places */
};

/* Adds a unit. *ret_unit: its number, from 1 on; 0 if the name is not a source file's. */
SPROF_MUST_USE bool sprof_unit_files_add(
	struct sprof_unit_files *units, const char *name, uint32_t *ret_unit);

/*
 * "util.c" or, with a number, "util.c (2)"; an unknown unit's place, "0x11b0". NULL: out of memory.
 */
const char *sprof_unit_files_text(struct sprof_unit_files *units, uint32_t unit, uint32_t number);
const char *sprof_unit_files_place(struct sprof_unit_files *units, uint64_t address);
void sprof_unit_files_finish(struct sprof_unit_files *units);

struct sprof_namesake {
	uint64_t name;   /* hash of the name without ".cold" */
	uint64_t file;   /* filled in */
	uint64_t place;  /* the address, if it is local to an unknown unit; else 0 */
	uint32_t unit;   /* 0: unknown, or not local to one */
	uint32_t symbol; /* the caller's index */
	/* filled in; from 1 on: its unit among those of one name; 0: the only one */
	uint32_t number;
	bool is_part; /* of another symbol: ".cold" */
	bool needs_unit; /* filled in: other symbols have its name; if the unit is unknown, `place` distinguishes it */
};

/*
 * Sorts, and fills in the fields above. A part follows its function, and needs its unit only if the
 * function does.
 */
void sprof_namesakes_judge(
	struct sprof_namesake *items, size_t count, const struct sprof_unit_files *units);
