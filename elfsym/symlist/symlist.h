/*
 * Text lists of symbols: output of nm and other tools, System.map, /proc/kallsyms, and the perf
 * maps written by JIT compilers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/elf/ranges.h"

enum sprof_symlist_format {
	/* Output of nm, objdump -t, readelf -s or `sprof symbols`; System.map, /proc/kallsyms.
	 * Symbols other than functions only end the function before them. */
	SPROF_SYMLIST_SYSMAP,
	/* "ADDRESS SIZE NAME"; later lines replace earlier ones. */
	SPROF_SYMLIST_PERF_MAP,
};

/* The source printed by `sprof symbols` for made-up names. */
#define SPROF_SYMLIST_MADE_UP "FDE only"

enum sprof_symlist_rank {
	SPROF_SYMLIST_NO_FUNCTION,
	SPROF_SYMLIST_WEAK,
	SPROF_SYMLIST_LOCAL,
	SPROF_SYMLIST_GLOBAL,
};

/* A symbol; the name points into the text, without version, and is not empty. */
struct sprof_symlist_line {
	uint64_t address;
	uint64_t size; /* 0: extends to the next line */
	const char *name;
	size_t name_length;
	enum sprof_symlist_rank rank;
};

struct sprof_symlist {
	char *text;
	size_t text_size;
	struct sprof_symlist_line *items; /* all lines; in a System.map sorted by address */
	size_t count, capacity;
	size_t functions;           /* functions among the items */
	size_t skipped;             /* lines not understood */
	struct sprof_ranges ranges; /* -> index of the item */
	bool all_zero;              /* addresses are hidden: all are 0 */
};

/* Takes ownership of the text, from malloc(), even on failure. Returns false if out of memory. */
bool sprof_symlist_create(enum sprof_symlist_format format, char *text, size_t text_size,
	struct sprof_symlist **ret, struct sprof_error *err) SPROF_MUST_USE;

/* Reads an open file from its start. Returns false if it can't be read, or out of memory. */
bool sprof_symlist_read(enum sprof_symlist_format format, int fd, const char *name,
	struct sprof_symlist **ret, struct sprof_error *err) SPROF_MUST_USE;
/* The same, by path. */
bool sprof_symlist_open(enum sprof_symlist_format format, const char *path,
	struct sprof_symlist **ret, struct sprof_error *err) SPROF_MUST_USE;

/* NULL is accepted. */
void sprof_symlist_destroy(struct sprof_symlist *list);

/* The function at the address; NULL: none. */
const struct sprof_symlist_line *sprof_symlist_find(
	const struct sprof_symlist *list, uint64_t address);
