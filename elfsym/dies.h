/*
 * A cursor over the DIEs of one unit, in file order. It has two readers: the fast one skips DIEs
 * without decoding them (skim.h); the other is libdw. Both give the same answers
 * (tests/unit/elfsym/test-dies.c compares them).
 *
 * The reader is chosen when the unit is opened: the fast one if the file with the unit in its
 * .debug_info is given and it handles all abbreviations, else libdw. The choice never changes
 * later: in a broken unit the lists just end.
 */
#ifndef SPROF_ELFSYM_DIES_H
#define SPROF_ELFSYM_DIES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/image.h"
#include "elfsym/skim.h"

struct sprof_die {
	Dwarf_Off offset;
	int tag;
	bool has_children;
	bool has_code; /* for a function or an inlined call: it says where its code is */
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
	bool no_memory;                         /* no memory; this ended the lists */
	/* For the fast reader: */
	struct sprof_skim skim;
	const uint8_t *at;
	struct sprof_skim_die last;
	/* For libdw: */
	Dwarf_Die unit;
	Dwarf_Die *levels; /* the parent of the lists, and the current DIE of each list */
	size_t level_count, level_capacity;
	Dwarf_Off last_offset;
	bool goes_down; /* the next DIE is a child of the current one */
};

/* `debug` is the file with this unit; NULL: another file that libdw found. False: no memory. */
bool sprof_dies_open(struct sprof_dies *dies, const struct sprof_image *debug,
	const Dwarf_Die *unit) SPROF_MUST_USE;
void sprof_dies_close(struct sprof_dies *dies);

/* Goes to the children of the DIE at an offset of the unit. False: none, or broken. */
bool sprof_dies_enter(struct sprof_dies *dies, Dwarf_Off parent) SPROF_MUST_USE;

/*
 * The next DIE. The list of its children comes before the rest of its own list. False: the end of
 * the list. In a broken unit or without memory, all lists end.
 */
bool sprof_dies_next(struct sprof_dies *dies, struct sprof_die *ret) SPROF_MUST_USE;

/* Skips the children of the last DIE. */
void sprof_dies_skip(struct sprof_dies *dies);

#endif
