/*
 * Lists of symbols as text: what nm and other tools print, System.map, /proc/kallsyms, and the perf
 * maps that JIT compilers write.
 */
#ifndef SPROF_ELFSYM_SYMLIST_H
#define SPROF_ELFSYM_SYMLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/ranges.h"

enum sprof_symlist_format {
	/* What nm, objdump -t, readelf -s, System.map, /proc/kallsyms or `sprof symbols` print. Other
	 * symbols than functions only end the function before them. */
	SPROF_SYMLIST_SYSMAP,
	/* "ADDRESS SIZE NAME"; later lines replace earlier ones. */
	SPROF_SYMLIST_PERF_MAP,
};

/* The source that `sprof symbols` prints for a name that it has made up. */
#define SPROF_SYMLIST_MADE_UP "FDE only"

enum sprof_symlist_rank {
	SPROF_SYMLIST_NO_FUNCTION,
	SPROF_SYMLIST_WEAK,
	SPROF_SYMLIST_LOCAL,
	SPROF_SYMLIST_GLOBAL,
};

/* A symbol; the name is a view into the text, without version, and not empty. */
struct sprof_symlist_line {
	uint64_t address;
	uint64_t size; /* 0: up to the next line */
	const char *name;
	size_t name_length;
	enum sprof_symlist_rank rank;
};

struct sprof_symlist {
	char *text;
	size_t text_size;
	struct sprof_symlist_line *items; /* all lines; a System.map's are sorted by address */
	size_t count, capacity;
	size_t functions;           /* of the items */
	size_t skipped;             /* lines that are not understood */
	struct sprof_ranges ranges; /* -> index of the item */
	bool all_zero;              /* the file hides its addresses: all are 0 */
};

/* Takes ownership of the text, from malloc(), even on failure. False: no memory. */
bool sprof_symlist_create(enum sprof_symlist_format format, char *text, size_t text_size,
	struct sprof_symlist **ret, struct sprof_error *err) SPROF_MUST_USE;

/* Reads an open file from its start. False: it can't be read, or no memory. */
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

#endif
