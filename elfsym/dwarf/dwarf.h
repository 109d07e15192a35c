/* Source lines and inline chains of a module, by link-time address. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/debug-files/debugfile.h"
#include "elfsym/elf/image.h"

/* One function at an address. The struct sprof_dwarf owns the strings; NULL and 0 mean unknown. */
struct sprof_dwarf_place {
	const char *linkage;   /* DW_AT_linkage_name; NULL in languages without, such as C */
	const char *name;      /* DW_AT_name */
	const char *qualifier; /* enclosing namespaces and classes, if linkage is NULL */
	const char *file;      /* of `line` */
	uint32_t line;
	const char *function_file; /* where the function is defined */
	uint32_t function_line;
	bool inlined; /* inlined into the next item */
};

struct sprof_dwarf_chain {
	const struct sprof_dwarf_place *items; /* innermost first */
	size_t count;
};

struct sprof_dwarf;
struct sprof_scopes;

/* Inputs; all must outlive the results. */
struct sprof_dwarf_source {
	const struct sprof_image *image;         /* its segments define where code is */
	const struct sprof_image *debug;         /* contains the DWARF; often the same as `image` */
	const char *path;                        /* of `debug` */
	const struct sprof_debug_places *places; /* where to find files that it refers to */
	bool with_variables;                     /* not only for names */
};

/* Whether the file has any DWARF, even without code. Cheap. */
bool sprof_dwarf_exists(const struct sprof_image *debug);

/*
 * Reads which unit covers which addresses. *ret is NULL if there is no DWARF for code, which is no
 * error. Returns false if out of memory.
 */
bool sprof_dwarf_open(const struct sprof_dwarf_source *source, struct sprof_dwarf **ret,
	struct sprof_error *err) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_dwarf_close(struct sprof_dwarf *dwarf);

/* How many of the units looked up so far have lost their .dwo file. */
size_t sprof_dwarf_lost_units(const struct sprof_dwarf *dwarf);

/*
 * The inline chain at an address, valid until the next call. Empty: the address is in no unit. One
 * item without names: in a unit, but in no function (assembly). Returns false if out of memory.
 */
bool sprof_dwarf_find(struct sprof_dwarf *dwarf, uint64_t address, struct sprof_dwarf_chain *ret,
	struct sprof_error *err) SPROF_MUST_USE;

/* The function whose code, including inlined code, is at an address. */
struct sprof_dwarf_function {
	const struct sprof_scopes *scopes; /* of its unit; NULL: no function */
	Dwarf_Die die;
	uint64_t entry; /* address of its first instruction; 0: unknown */
};

/* Valid as long as the struct sprof_dwarf. Returns false if out of memory. */
bool sprof_dwarf_find_function(struct sprof_dwarf *dwarf, uint64_t address,
	struct sprof_dwarf_function *ret) SPROF_MUST_USE;

/*
 * Only the line at the address, at less cost: one item without names, or none. Returns false if out
 * of memory.
 */
bool sprof_dwarf_find_line(struct sprof_dwarf *dwarf, uint64_t address,
	struct sprof_dwarf_chain *ret, struct sprof_error *err) SPROF_MUST_USE;
