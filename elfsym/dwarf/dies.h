/*
 * A cursor over the DIEs of one unit, in file order. There are two readers: a fast one that skips
 * DIEs without decoding them (skim.h), and libdw. Both give the same results
 * (tests/unit/elfsym/test-dies.c compares them).
 *
 * The reader is chosen when the unit is opened: the fast one if the unit's file is given and all
 * abbreviations are supported, else libdw. The choice does not change later; in a corrupt unit the
 * lists end early.
 */
#ifndef SPROF_ELFSYM_DWARF_DIES_H
#define SPROF_ELFSYM_DWARF_DIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/dwarf/skim.h"
#include "elfsym/elf/image.h"

struct sprof_die {
	Dwarf_Off offset;
	int tag;
	bool has_children;
	bool has_code; /* for functions and inlined calls: has an address range */
};

struct sprof_dies;

struct sprof_dies_reader {
	bool (*enter)(struct sprof_dies *dies, Dwarf_Off parent);
	bool (*next)(struct sprof_dies *dies, struct sprof_die *ret);
	void (*skip)(struct sprof_dies *dies);
};

extern const struct sprof_dies_reader sprof_dies_fast, sprof_dies_libdw;

struct sprof_dies {
	const struct sprof_dies_reader *reader; /* the chosen one */
	bool no_memory;                         /* out of memory; this ended the lists */
	/* For the fast reader: */
	struct sprof_skim skim;
	const uint8_t *at;
	struct sprof_skim_die last;
	/* For libdw: */
	Dwarf_Die unit;
	Dwarf_Die *levels; /* the lists' parent, and the current DIE of each nested list */
	size_t level_count, level_capacity;
	Dwarf_Off last_offset;
	bool goes_down; /* next is a child of the current DIE */
};

/*
 * `debug` is the file with this unit; NULL: a file that libdw found. Returns false if out of
 * memory.
 */
bool sprof_dies_open(struct sprof_dies *dies, const struct sprof_image *debug,
	const Dwarf_Die *unit) SPROF_MUST_USE;
void sprof_dies_close(struct sprof_dies *dies);

/*
 * Goes to the children of the DIE at an offset in the unit. Returns false if there are none, or the
 * unit is corrupt.
 */
bool sprof_dies_enter(struct sprof_dies *dies, Dwarf_Off parent) SPROF_MUST_USE;

/*
 * The next DIE; children come before siblings. Returns false at the end of the list. In a corrupt
 * unit, or out of memory, all lists end.
 */
bool sprof_dies_next(struct sprof_dies *dies, struct sprof_die *ret) SPROF_MUST_USE;

/* Skips the children of the last DIE. */
void sprof_dies_skip(struct sprof_dies *dies);

#endif
