/*
 * All sources of names of one module, opened when they are first needed, and why they are not
 * enough.
 */
#ifndef SPROF_ELFSYM_NAMES_H
#define SPROF_ELFSYM_NAMES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/module.h"
#include "elfsym/code-starts.h"
#include "elfsym/debugfile.h"
#include "elfsym/dwarf.h"
#include "elfsym/fdes.h"
#include "elfsym/go-table.h"
#include "elfsym/image.h"
#include "elfsym/symlist.h"
#include "elfsym/symtab.h"

/* NULL where the module doesn't have it. */
struct sprof_names {
	const struct sprof_module *module;
	const struct sprof_debug_places *places;
	struct sprof_debug_places places_inside; /* those, of a process with another root */
	char inside[32];
	struct sprof_image *image;
	struct sprof_image *debug; /* the separate debug file */
	struct sprof_image *inner; /* of .gnu_debugdata */
	struct sprof_go_table *go;   /* after sprof_names_load_go */
	bool go_loaded;
	struct sprof_dwarf *dwarf;   /* after sprof_names_load_dwarf */
	bool dwarf_loaded;
	struct sprof_symtab *symtab; /* after sprof_names_load_symtab */
	struct sprof_fdes *fdes;     /* after sprof_names_load_fdes */
	struct sprof_code_starts *starts; /* after sprof_names_load_starts */
	/* Symbols as text: by link-time address; of anonymous memory by address. */
	struct sprof_symlist *list;
	struct sprof_names_version {
		int64_t seconds, nanoseconds, size;
	} list_version; /* of the perf map that was read */
};

/*
 * Opens the module, and its separate debug file if it has no DWARF itself. sysmap is the
 * list that the user has given for it; NULL: none. What can't be read is left out. False: no
 * memory; the names are then as far as they got. The places outlive the names.
 */
bool sprof_names_init(struct sprof_names *names, const struct sprof_module *module,
	const struct sprof_debug_places *places, const char *sysmap, struct sprof_error *err);
/* Finds the table that a Go program has of its functions, unless that is done. The image is there. */
void sprof_names_load_go(struct sprof_names *names);
/* Reads where DWARF has code, unless that is done. The image is there. False: no memory. */
bool sprof_names_load_dwarf(struct sprof_names *names, struct sprof_error *err);
/* Reads the symbol tables unless that is done. The image is there. False: no memory. */
bool sprof_names_load_symtab(struct sprof_names *names, struct sprof_error *err);
/* The same for the unwind tables. */
bool sprof_names_load_fdes(struct sprof_names *names, struct sprof_error *err);
/* The same for where the code itself says that functions begin. */
bool sprof_names_load_starts(struct sprof_names *names, struct sprof_error *err);
/* Reads the perf map again if it has changed. False: no memory. */
bool sprof_names_refresh(struct sprof_names *names, struct sprof_error *err);
/* Zeroed names are accepted. */
void sprof_names_finish(struct sprof_names *names);

#endif
