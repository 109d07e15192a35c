/* The function symbols of a module, by address. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/elf/image.h"

/* The table that a symbol comes from. */
enum sprof_symbol_source {
	SPROF_SYMBOL_SYMTAB,
	SPROF_SYMBOL_DYNSYM,
	SPROF_SYMBOL_DEBUG_FILE,    /* the separate debug file's .symtab */
	SPROF_SYMBOL_GNU_DEBUGDATA, /* the file inside .gnu_debugdata */
	SPROF_SYMBOL_PLT,           /* the name is the target's */
	SPROF_SYMBOL_SOURCE_COUNT,
};

/* ".symtab", "debug file", ... */
const char *sprof_symbol_source_name(enum sprof_symbol_source source);

/* The name is not NUL-terminated, and without version: "memcpy" for "memcpy@@GLIBC_2.14". */
struct sprof_symbol {
	uint64_t address; /* link-time */
	uint64_t size;    /* from the file; 0: unknown, extends to the next one */
	const char *name; /* in the image */
	size_t name_length;
	enum sprof_symbol_source source;
	bool is_local;    /* not interposable: all calls in the module enter it */
	bool is_indirect; /* an IFUNC: its code returns the function that calls enter */
	/*
	 * Set for a local symbol whose name another unit has, too: its unit's source file, as the
	 * compiler was given it; "util.c (2)" for the second unit with that file name; the address
	 * ("0x11b0") if the unit is unknown. NULL: not needed.
	 */
	const char *file;
};

/* The files with symbols; all must outlive the table. NULL: absent. */
struct sprof_symtab_files {
	const struct sprof_image *image; /* never NULL */
	const struct sprof_image *debug;
	const struct sprof_image *inner; /* of .gnu_debugdata */
};

struct sprof_symtab;

/*
 * Reads .symtab and .dynsym of the files, and names PLT entries. Ignores corrupt or missing tables.
 * Returns false if out of memory.
 */
bool sprof_symtab_create(const struct sprof_symtab_files *files, struct sprof_symtab **ret,
	struct sprof_error *err) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_symtab_destroy(struct sprof_symtab *symtab);

/*
 * The function at a link-time address. Returns false if there is none. A symbol with a size does
 * not extend past its end.
 */
bool sprof_symtab_find(
	const struct sprof_symtab *symtab, uint64_t address, struct sprof_symbol *ret);

/*
 * The local label without type and size at this address, which sprof_symtab_find() takes for a part
 * of the unsized function before it. It is a function's name only if the code shows that one begins
 * there. Returns false if there is none.
 */
bool sprof_symtab_find_label(
	const struct sprof_symtab *symtab, uint64_t address, struct sprof_symbol *ret);

/* Whether a .symtab was read: otherwise the files are stripped. */
bool sprof_symtab_is_full(const struct sprof_symtab *symtab);

/*
 * All symbols by address, including those hidden by a better one. The best at an address is last.
 */
size_t sprof_symtab_count(const struct sprof_symtab *symtab);
struct sprof_symbol sprof_symtab_at(const struct sprof_symtab *symtab, size_t index);
