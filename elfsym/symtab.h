/*
 * The function symbols of a module, by address.
 */
#ifndef SPROF_ELFSYM_SYMTAB_H
#define SPROF_ELFSYM_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elfsym/image.h"

/* Where a symbol was found. */
enum sprof_symbol_source {
	SPROF_SYMBOL_SYMTAB,
	SPROF_SYMBOL_DYNSYM,
	SPROF_SYMBOL_DEBUG_FILE,    /* the separate debug file's .symtab */
	SPROF_SYMBOL_GNU_DEBUGDATA, /* the file inside of .gnu_debugdata */
	SPROF_SYMBOL_PLT,           /* the name is that of the function the entry jumps to */
	SPROF_SYMBOL_SOURCE_COUNT,
};

/* ".symtab", "debug file", ... */
const char *sprof_symbol_source_name(enum sprof_symbol_source source);

/* The name ends after name_length bytes: without version, "memcpy" of "memcpy@@GLIBC_2.14". */
struct sprof_symbol {
	uint64_t address; /* link-time */
	uint64_t size;    /* as the file says; 0: unknown, it reaches to the next one */
	const char *name; /* in the image */
	size_t name_length;
	enum sprof_symbol_source source;
};

/* The files that symbols are read from; all outlive the table. NULL: there is none. */
struct sprof_symtab_files {
	const struct sprof_image *image; /* never NULL */
	const struct sprof_image *debug;
	const struct sprof_image *inner; /* of .gnu_debugdata */
};

struct sprof_symtab;

/*
 * Reads .symtab and .dynsym of the files, and names the entries of the PLT. A broken or missing
 * table just contributes nothing. False: no memory.
 */
bool sprof_symtab_create(
	const struct sprof_symtab_files *files, struct sprof_symtab **ret, struct sprof_error *err);
/* NULL is accepted. */
void sprof_symtab_destroy(struct sprof_symtab *symtab);

/* The function at a link-time address. False: none; behind the end of a sized symbol there is none.
 */
bool sprof_symtab_find(
	const struct sprof_symtab *symtab, uint64_t address, struct sprof_symbol *ret);

/* Whether a .symtab was read: without one the files are stripped. */
bool sprof_symtab_is_full(const struct sprof_symtab *symtab);

/* All symbols, by address, those that a better one hides too. At an address the best is the last.
 */
size_t sprof_symtab_count(const struct sprof_symtab *symtab);
struct sprof_symbol sprof_symtab_at(const struct sprof_symtab *symtab, size_t index);

#endif
