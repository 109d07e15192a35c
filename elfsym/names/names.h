/* All sources of names of one module, each opened at first use, and why they are insufficient. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "elfsym/cfi/cfi.h"
#include "elfsym/cfi/fdes.h"
#include "elfsym/code/starts.h"
#include "elfsym/code/tail-calls.h"
#include "elfsym/debug-files/debugfile.h"
#include "elfsym/dwarf/dwarf.h"
#include "elfsym/elf/image.h"
#include "elfsym/elf/symtab.h"
#include "elfsym/go/table.h"
#include "elfsym/symlist/symlist.h"

/* A source is NULL if the module lacks it. */
struct sprof_names {
	const struct sprof_module *module;
	const struct sprof_debug_places *places;
	/* search places for a process with another root folder */
	struct sprof_debug_places places_inside;
	char inside[32];
	struct sprof_image *image;
	struct sprof_image *debug;              /* the separate debug file */
	struct sprof_image *inner;              /* of .gnu_debugdata */
	const struct sprof_saved_module *saved; /* for a saved profile; NULL: the module is open */
	/* a file with another build id than `saved`; NULL: none */
	char *wrong_file;
	struct sprof_go_table *go; /* after sprof_names_load_go */
	bool go_loaded;
	struct sprof_dwarf *dwarf; /* after sprof_names_load_dwarf */
	bool dwarf_loaded;
	bool with_variables;                 /* set before opening; false: only names are needed */
	struct sprof_tail_calls *tail_calls; /* after sprof_names_load_tail_calls */
	struct sprof_cfi *cfi;               /* after the first sprof_symbols_leave_frame() */
	struct sprof_symtab *symtab;         /* after sprof_names_load_symtab */
	struct sprof_fdes *fdes;             /* after sprof_names_load_fdes */
	struct sprof_code_starts *starts;    /* after sprof_names_load_starts */
	/* A text list of symbols, by link-time address; in anonymous memory by run-time address. */
	struct sprof_symlist *list;
	struct sprof_names_version {
		int64_t seconds, nanoseconds, size;
	} list_version; /* of the perf map as last read */
};

/*
 * Opens the module and, if it has no DWARF, its separate debug file. sysmap is the user's list;
 * NULL: none. Unreadable sources are skipped. Returns false if out of memory; the names then have
 * what was read so far. The places must outlive the names.
 */
bool sprof_names_init(struct sprof_names *names, const struct sprof_module *module,
	const struct sprof_debug_places *places, const char *sysmap,
	struct sprof_error *err) SPROF_MUST_USE;
/* The link-time address of a file offset. Returns false if unknown. */
bool sprof_names_address(const struct sprof_names *names, uint64_t offset, uint64_t *ret_address);
/* Finds a Go program's function table, once. There must be an image. */
void sprof_names_load_go(struct sprof_names *names);
/*
 * Reads which addresses DWARF covers, once. There must be an image. Returns false if out of memory.
 */
bool sprof_names_load_dwarf(struct sprof_names *names, struct sprof_error *err) SPROF_MUST_USE;
/* Reads DWARF's tail calls, once. There must be an image. Returns false if out of memory. */
bool sprof_names_load_tail_calls(struct sprof_names *names, struct sprof_error *err) SPROF_MUST_USE;
/* Reads the symbol tables, once. There must be an image. Returns false if out of memory. */
bool sprof_names_load_symtab(struct sprof_names *names, struct sprof_error *err) SPROF_MUST_USE;
/* Reads the unwind tables, once. Returns false if out of memory. */
bool sprof_names_load_fdes(struct sprof_names *names, struct sprof_error *err) SPROF_MUST_USE;
/* Finds the starts of functions in the code, once. Returns false if out of memory. */
bool sprof_names_load_starts(struct sprof_names *names, struct sprof_error *err) SPROF_MUST_USE;
/* Reads the perf map again if it has changed. Returns false if out of memory. */
bool sprof_names_refresh(struct sprof_names *names, struct sprof_error *err) SPROF_MUST_USE;
/* Zeroed names are accepted. */
void sprof_names_finish(struct sprof_names *names);
