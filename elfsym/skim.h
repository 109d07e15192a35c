/*
 * Skimming over the DIEs of a unit without decoding them: where the next one is, and what kind it
 * is.
 */
#ifndef SPROF_ELFSYM_SKIM_H
#define SPROF_ELFSYM_SKIM_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/cursor.h"
#include "elfsym/image.h"

/* One abbreviation (DWARF 5, section 7.5.3), as far as skimming needs it. */
struct sprof_skim_kind {
	uint16_t tag;
	bool has_children, has_code;
	int32_t size;       /* of all attributes; -1: it varies */
	int32_t sibling_at; /* where DW_AT_sibling is in them; -1: none, or it varies */
	uint16_t sibling_form;
	size_t first_form, form_count;
};

/* A unit. Zeroed is empty and valid. */
struct sprof_skim {
	struct sprof_cursor info; /* .debug_info from its beginning to the unit's end */
	const uint8_t *section;   /* its beginning */
	const uint8_t *unit;      /* what references are relative to */
	size_t address_size, offset_size;
	struct sprof_skim_kind *kinds; /* by code - 1 */
	size_t kind_count, kind_capacity;
	uint16_t *forms;
	size_t form_count, form_capacity;
};

/*
 * Prepares to skim the unit, whose DIE is given. False: it is of a kind that this can't do (then
 * libdw must), or memory is short.
 */
bool sprof_skim_open(struct sprof_skim *skim, const struct sprof_image *debug, Dwarf_Die *unit);
void sprof_skim_close(struct sprof_skim *skim);

/* A DIE that was passed. */
struct sprof_skim_die {
	uint64_t offset; /* in .debug_info */
	const struct sprof_skim_kind *kind;
	const uint8_t
		*sibling; /* where the next one is; NULL: behind the children, if there are any */
};

/* The children of the DIE at an offset of .debug_info; NULL: it has none, or is broken. */
const uint8_t *sprof_skim_children(const struct sprof_skim *skim, Dwarf_Off offset);

enum sprof_skim_step {
	SPROF_SKIM_DIE,
	SPROF_SKIM_END,    /* of the list of siblings */
	SPROF_SKIM_BROKEN, /* not understood: nothing behind it can be trusted */
};

/* The DIE at *at, which moves on to its first child if its kind has children, else to its sibling.
 */
enum sprof_skim_step sprof_skim_next(
	const struct sprof_skim *skim, const uint8_t **at, struct sprof_skim_die *ret);

/*
 * From the first child of the DIE, where sprof_skim_next() left *at, to its sibling. False: broken.
 */
bool sprof_skim_pass(
	const struct sprof_skim *skim, const struct sprof_skim_die *die, const uint8_t **at);

#endif
