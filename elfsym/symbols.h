/*
 * Names for places in modules: (module, offset) -> function, file, line and inline chain.
 *
 * Works on the modules' open files only, so it needs no process and no privilege, and does the same
 * long after the target has ended.
 */
#ifndef SPROF_ELFSYM_SYMBOLS_H
#define SPROF_ELFSYM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/module.h"

/* A System.map, or what nm printed, for a module: its path or the last part of it. */
struct sprof_sysmap {
	const char *path;
	const char *module; /* NULL: the program, which is the first file in the table of modules */
};

struct sprof_debuginfod;

struct sprof_symbols_options {
	bool no_inlines; /* only the outermost function of an inline chain, its name from the symbol
			    table */
	bool no_demangle;
	const char *debug_root;           /* where separate debug files are; NULL: /usr/lib/debug */
	const char *const *debug_folders; /* where else they may be, asked first */
	size_t debug_folder_count;
	struct sprof_debuginfod *debuginfod; /* asked last; NULL: never */
	const struct sprof_sysmap *sysmaps;
	size_t sysmap_count;
};

/* One function at a place. All strings live as long as the struct sprof_symbols. */
struct sprof_location {
	/* Demangled; "module+0x1234" when nothing is known: the link-time address where the
	 * function begins as far as the unwind tables tell, else of the place itself. */
	const char *function;
	const char *
		linkage; /* as the linker knows it; the same pointer as function when not mangled */
	const char *file;       /* source file; NULL: unknown */
	uint32_t line;          /* of the place; 0: unknown */
	uint32_t function_line; /* where the function begins; 0: unknown */
	bool inlined;           /* inlined into the next location of the chain */
	bool unresolved;        /* function is made up from the module and the offset */
};

/* The functions at one place, innermost first. At least one; the last is the one not inlined. */
struct sprof_locations {
	const struct sprof_location *items;
	size_t count;
};

struct sprof_symbols; /* everything read and interned so far; modules are opened on their first
			 place */

/* Why places of a module have no name, and what would give them one; full sentences without a stop.
 */
struct sprof_symbols_gap {
	char why[160];
	char help[320]; /* empty: nothing that sprof knows of */
};

/* The modules and all that the options point to outlive the symbols. False: no memory. */
bool sprof_symbols_create(const struct sprof_modules *modules,
	const struct sprof_symbols_options *options, struct sprof_symbols **ret,
	struct sprof_error *err);
/* NULL is accepted. */
void sprof_symbols_destroy(struct sprof_symbols *symbols);

/*
 * Names the instruction at `offset` of the module (see struct sprof_frame for what an offset is;
 * the caller has already subtracted 1 from a return address). The result is valid until the next
 * call. An unreadable module is not an error: the place is then called module+0x1234. False: no
 * memory.
 */
bool sprof_symbols_resolve(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_locations *ret, struct sprof_error *err);

/*
 * The variable at `distance` bytes behind the place where the module's first byte was mapped;
 * *ret_name is NULL when there is none. False: no memory.
 */
bool sprof_symbols_find_data(struct sprof_symbols *symbols, uint32_t module, uint64_t distance,
	const char **ret_name, uint64_t *ret_offset, struct sprof_error *err);

/* Explains the places of a module that sprof_symbols_resolve() left unresolved. False: no memory.
 */
bool sprof_symbols_explain(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_symbols_gap *ret, struct sprof_error *err);

#endif
