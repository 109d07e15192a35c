/*
 * Resolves (module, offset) to function, file, line and inline chain. Uses only the modules' open
 * files, so it needs no process and no privileges, and works after the target has ended.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "elfsym/code/tail-paths.h"

/* A System.map or nm output for a module, identified by path or file name. */
struct sprof_sysmap {
	const char *path;
	const char *module; /* NULL: the program, which is the first file in the module table */
};

struct sprof_debuginfod;
struct sprof_saved_modules;

struct sprof_symbols_options {
	bool no_inlines; /* only the outermost function of a chain, named by the symbol table */
	bool no_demangle;
	bool with_variables;              /* sprof_symbols_find_locals() will be used */
	const char *debug_root;           /* folder of separate debug files; NULL: /usr/lib/debug */
	const char *const *debug_folders; /* further folders, searched first */
	size_t debug_folder_count;
	struct sprof_debuginfod *debuginfod; /* used last; NULL: don't use */
	const struct sprof_sysmap *sysmaps;
	size_t sysmap_count;
	const struct sprof_saved_modules *saved; /* NULL: the modules have open files */
};

/* A PLT entry has the name of the function that it jumps to, with this suffix. */
#define SPROF_PLT_ENDING "@plt"

/* One function at an address. Strings are valid as long as the struct sprof_symbols. */
struct sprof_location {
	/* Demangled. "module+0x1234" if unknown: the link-time address of the function's start by
	 * the unwind tables, else of the address itself. Of generated code only the module. */
	const char *function;
	const char *linkage; /* mangled; the same pointer as `function` if not mangled */
	const char *file;    /* source file; NULL: unknown */
	uint32_t line;       /* 0: unknown */
	/*
	 * file of the function's definition; NULL: unknown. Without debug information, only
	 * namesakes have one: see struct sprof_symbol
	 */
	const char *function_file;
	uint32_t function_line; /* line of the function's definition; 0: unknown */
	bool inlined;           /* inlined into the next location of the chain */
	bool unresolved;        /* `function` is made of module and offset */
};

/* The functions at one address, innermost first. At least one; only the last is not inlined. */
struct sprof_locations {
	const struct sprof_location *items;
	size_t count;
};

/* A caller and its callee on the stack, as module offsets. */
struct sprof_call_edge {
	uint64_t behind; /* the return address */
	uint64_t place;
};

struct sprof_symbols; /* caches everything read and interned; opens modules at first use */

/* Why addresses of a module have no name, and the remedy; full sentences without a full stop. */
struct sprof_symbols_gap {
	char why[160];
	char help[320]; /* empty: none known */
};

/*
 * The modules and everything that the options refer to must outlive the symbols. Returns false if
 * out of memory.
 */
bool sprof_symbols_create(const struct sprof_modules *modules,
	const struct sprof_symbols_options *options, struct sprof_symbols **ret,
	struct sprof_error *err) SPROF_MUST_USE;
/* NULL is accepted. */
void sprof_symbols_destroy(struct sprof_symbols *symbols);

/*
 * The module with the most missing .dwo files; the functions of their units lack inlined ones.
 * NULL: none is missing.
 */
const struct sprof_module *sprof_symbols_lost_units(
	const struct sprof_symbols *symbols, size_t *ret_units);

/* The user's list of symbols for a module; NULL: none. */
const char *sprof_symbols_sysmap(
	const struct sprof_symbols *symbols, const struct sprof_module *module);

/*
 * Resolves the instruction at `offset` of the module (struct sprof_frame defines offsets; the
 * caller has already subtracted 1 from a return address). The result is valid until the next call.
 * For an unreadable module, the name is module+0x1234. Returns false if out of memory.
 */
bool sprof_symbols_resolve(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_locations *ret, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Private to elfsym/: all sources of a module. *ret is NULL if the options restrict it to its
 * symbol table. Returns false if out of memory.
 */
struct sprof_names;
bool sprof_symbols_names(struct sprof_symbols *symbols, uint32_t module, struct sprof_names **ret,
	struct sprof_error *err) SPROF_MUST_USE;

/* Private to elfsym/: by module; NULL: not opened yet. */
struct sprof_names *const *sprof_symbols_opened(
	const struct sprof_symbols *symbols, size_t *ret_count);

/*
 * The functions that made tail calls between the call that returns to offset `behind` and the
 * function at offset `place`, in the same module. Steps have module offsets. The caller finishes
 * *ret. Returns false if out of memory.
 */
bool sprof_symbols_find_tail_calls(struct sprof_symbols *symbols, uint32_t module,
	const struct sprof_call_edge *edge, struct sprof_tail_path *ret,
	struct sprof_error *err) SPROF_MUST_USE;

/*
 * The variable at `distance` bytes from where the module's first byte was mapped. *ret_name is NULL
 * if there is none. Returns false if out of memory.
 */
bool sprof_symbols_find_data(struct sprof_symbols *symbols, uint32_t module, uint64_t distance,
	const char **ret_name, uint64_t *ret_offset, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Private to elfsym/: a function in a module of kind SPROF_MODULE_SCRIPT, which has a table of
 * names. Strings are valid as long as the module.
 */
struct sprof_location sprof_script_location(const struct sprof_module *module, uint64_t offset);

/* Explains the addresses of a module that sprof_symbols_resolve() left unresolved. Returns false if
 * out of memory. */
bool sprof_symbols_explain(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_symbols_gap *ret, struct sprof_error *err) SPROF_MUST_USE;
