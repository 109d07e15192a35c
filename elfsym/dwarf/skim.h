/* Skips over the DIEs of a unit without decoding them: finds each one's kind and the next one. */
#ifndef SPROF_ELFSYM_DWARF_SKIM_H
#define SPROF_ELFSYM_DWARF_SKIM_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/elf/cursor.h"
#include "elfsym/elf/image.h"

/* Facts about one abbreviation (DWARF 5, section 7.5.3). */
struct sprof_skim_kind {
	uint16_t tag;
	bool has_children, has_code;
	int32_t size;       /* of all attributes; -1: variable */
	int32_t sibling_at; /* offset of DW_AT_sibling in them; -1: none, or variable */
	uint16_t sibling_form;
	size_t first_form, form_count;
};

/* A unit. Zeroed is empty and valid. */
struct sprof_skim {
	struct sprof_cursor info; /* .debug_info up to the unit's end */
	const uint8_t *section;   /* start of the section */
	const uint8_t *unit;      /* base of references */
	size_t address_size, offset_size;
	struct sprof_skim_kind *kinds; /* by code - 1 */
	size_t kind_count, kind_capacity;
	uint16_t *forms;
	size_t form_count, form_capacity;
};

enum sprof_skim_outcome {
	SPROF_SKIM_OPENED,
	SPROF_SKIM_UNKNOWN, /* unit not supported by this reader */
	SPROF_SKIM_NO_MEMORY,
};

enum sprof_skim_outcome sprof_skim_open(
	struct sprof_skim *skim, const struct sprof_image *debug, Dwarf_Die *unit) SPROF_MUST_USE;
void sprof_skim_close(struct sprof_skim *skim);

/* A skimmed DIE. */
struct sprof_skim_die {
	uint64_t offset; /* in .debug_info */
	const struct sprof_skim_kind *kind;
	const uint8_t *sibling; /* the next sibling; NULL: follows the children, if any */
};

/* The children of the DIE at an offset of .debug_info; NULL: none, or corrupt. */
const uint8_t *sprof_skim_children(const struct sprof_skim *skim, Dwarf_Off offset);

enum sprof_skim_step {
	SPROF_SKIM_DIE,
	SPROF_SKIM_END,    /* end of the list of siblings */
	SPROF_SKIM_BROKEN, /* corrupt or unsupported: later data can't be trusted */
};

/*
 * Reads the DIE at *at. Moves *at to its first child if it may have children, else to its sibling.
 */
enum sprof_skim_step sprof_skim_next(
	const struct sprof_skim *skim, const uint8_t **at, struct sprof_skim_die *ret);

/*
 * Moves *at from the DIE's first child, set by sprof_skim_next(), to its sibling. Returns false if
 * corrupt.
 */
bool sprof_skim_pass(const struct sprof_skim *skim, const struct sprof_skim_die *die,
	const uint8_t **at) SPROF_MUST_USE;

#endif
