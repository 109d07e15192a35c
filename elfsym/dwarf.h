/*
 * Source lines and inline chains of a module, by link-time address.
 */
#ifndef SPROF_ELFSYM_DWARF_H
#define SPROF_ELFSYM_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elfsym/debugfile.h"
#include "elfsym/image.h"

/* One function at an address. Strings belong to the struct sprof_dwarf; NULL and 0 mean unknown. */
struct sprof_dwarf_place {
	const char *linkage;   /* DW_AT_linkage_name; NULL where the language needs none: C */
	const char *name;      /* DW_AT_name */
	const char *qualifier; /* the namespaces and classes around it, where linkage is NULL */
	const char *file;      /* of the place itself, not of the function */
	uint32_t line;
	uint32_t function_line;
	bool inlined; /* into the next place */
};

struct sprof_dwarf_chain {
	const struct sprof_dwarf_place *items; /* innermost first */
	size_t count;
};

struct sprof_dwarf;

/* Where DWARF is read from; all outlives what is made of it. */
struct sprof_dwarf_source {
	const struct sprof_image *image;         /* its segments say where code is */
	const struct sprof_image *debug;         /* holds the DWARF; often the same */
	const char *path;                        /* of the latter */
	const struct sprof_debug_places *places; /* where what it refers to may be */
};

/* Whether the file has DWARF at all, be it about code or not; that costs nothing to know. */
bool sprof_dwarf_exists(const struct sprof_image *debug);

/*
 * Reads which unit covers which addresses. *ret is NULL when there is no DWARF about any code,
 * which is no error. False: no memory.
 */
bool sprof_dwarf_open(
	const struct sprof_dwarf_source *source, struct sprof_dwarf **ret, struct sprof_error *err);
/* NULL is accepted. */
void sprof_dwarf_close(struct sprof_dwarf *dwarf);

/*
 * The inline chain at an address, valid until the next call. No item: the address is in no unit.
 * One item without names: it is in a unit (assembly) but in no function. False: no memory.
 */
bool sprof_dwarf_find(struct sprof_dwarf *dwarf, uint64_t address, struct sprof_dwarf_chain *ret,
	struct sprof_error *err);

/* Only the line at the address, at less cost: one item without names, or none. False: no memory. */
bool sprof_dwarf_find_line(struct sprof_dwarf *dwarf, uint64_t address,
	struct sprof_dwarf_chain *ret, struct sprof_error *err);

#endif
