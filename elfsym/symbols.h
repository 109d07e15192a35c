/*
 * Names for places in modules: (module, offset) -> function, file, line and inline chain. Uses only
 * the modules' open files. So it needs no process and no privilege, and works long after the target
 * has ended.
 */
#ifndef SPROF_ELFSYM_SYMBOLS_H
#define SPROF_ELFSYM_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "elfsym/tail-paths.h"

/* A System.map or nm's output for a module, given by its path or the path's last part. */
struct sprof_sysmap {
	const char *path;
	const char *module; /* NULL: the program, which is the first file in the table of modules */
};

struct sprof_debuginfod;
struct sprof_saved_modules;

struct sprof_symbols_options {
	bool no_inlines; /* only a chain's outermost function, named by the symbol table */
	bool no_demangle;
	const char *debug_root;           /* place of separate debug files; NULL: /usr/lib/debug */
	const char *const *debug_folders; /* their other places, searched first */
	size_t debug_folder_count;
	struct sprof_debuginfod *debuginfod; /* used last; NULL: never */
	const struct sprof_sysmap *sysmaps;
	size_t sysmap_count;
	const struct sprof_saved_modules *saved; /* NULL: the modules have open files */
};

/* One function at a place. All strings live as long as the struct sprof_symbols. */
struct sprof_location {
	/* Demangled. "module+0x1234" if unknown: the link-time address of the function's begin by
	 * the unwind tables, else of the place itself. */
	const char *function;
	const char *
		linkage; /* as the linker knows it; the same pointer as function when not mangled */
	const char *file;          /* source file of the place; NULL: unknown */
	uint32_t line;             /* of the place; 0: unknown */
	const char *function_file; /* where the function is defined; NULL: unknown */
	uint32_t function_line;    /* where the function begins; 0: unknown */
	bool inlined;              /* inlined into the next location of the chain */
	bool unresolved;           /* function is made of module and offset */
};

/* The functions at one place, innermost first. At least one; only the last is not inlined. */
struct sprof_locations {
	const struct sprof_location *items;
	size_t count;
};

/* A caller and what is above it on the stack, as offsets in their module. */
struct sprof_call_edge {
	uint64_t behind; /* the return address */
	uint64_t place;
};

struct sprof_symbols; /* keeps everything read and interned; opens modules at their first place */

/* Why places of a module have no name, and the remedy; full sentences without a full stop. */
struct sprof_symbols_gap {
	char why[160];
	char help[320]; /* empty: no known remedy */
};

/* The modules and all that the options point to must outlive the symbols. False: no memory. */
bool sprof_symbols_create(const struct sprof_modules *modules,
	const struct sprof_symbols_options *options, struct sprof_symbols **ret,
	struct sprof_error *err) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_symbols_destroy(struct sprof_symbols *symbols);

/* The options' list of symbols for a module; NULL: none. */
const char *sprof_symbols_sysmap(
	const struct sprof_symbols *symbols, const struct sprof_module *module);

/*
 * Names the instruction at `offset` of the module (struct sprof_frame defines offsets; the caller
 * has already subtracted 1 from a return address). The result is valid until the next call. An
 * unreadable module is no error: the name is then module+0x1234. False: no memory.
 */
bool sprof_symbols_resolve(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_locations *ret, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Private to elfsym/: all sources of a module. NULL: the options want only what its symbols say.
 * False: no memory.
 */
struct sprof_names;
bool sprof_symbols_names(struct sprof_symbols *symbols, uint32_t module, struct sprof_names **ret,
	struct sprof_error *err) SPROF_MUST_USE;

/*
 * Which functions made tail calls between the call that returns to the offset `behind` and the
 * function that has the offset `place`, in the same module. The steps have offsets of the module.
 * The caller finishes *ret. False: no memory.
 */
bool sprof_symbols_find_tail_calls(struct sprof_symbols *symbols, uint32_t module,
	const struct sprof_call_edge *edge, struct sprof_tail_path *ret,
	struct sprof_error *err) SPROF_MUST_USE;

/*
 * The variable `distance` bytes behind the place where the module's first byte was mapped.
 * *ret_name is NULL if there is none. False: no memory.
 */
bool sprof_symbols_find_data(struct sprof_symbols *symbols, uint32_t module, uint64_t distance,
	const char **ret_name, uint64_t *ret_offset, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Private to elfsym/: a function in a module of kind SPROF_MODULE_SCRIPT, whose own table names it.
 * The strings live as long as the module.
 */
struct sprof_location sprof_script_location(const struct sprof_module *module, uint64_t offset);

/* Explains the places of a module that sprof_symbols_resolve() left unresolved. False: no memory.
 */
bool sprof_symbols_explain(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_symbols_gap *ret, struct sprof_error *err) SPROF_MUST_USE;

#endif
