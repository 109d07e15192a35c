/*
 * All sources of names of one module, opened when they are first needed.
 */
#ifndef SPROF_ELFSYM_NAMES_H
#define SPROF_ELFSYM_NAMES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/module.h"
#include "elfsym/dwarf.h"
#include "elfsym/image.h"
#include "elfsym/symtab.h"

/* NULL where the module doesn't have it. */
struct sprof_names {
	struct sprof_image *image;
	struct sprof_image *debug; /* the separate debug file */
	struct sprof_dwarf *dwarf;
	struct sprof_symtab *symtab; /* after sprof_names_load_symtab */
};

/*
 * Opens the module, its DWARF, and below debug_root its separate debug file if it has no DWARF
 * itself. What can't be read is left out. False: no memory; the names are then as far as they got.
 */
bool sprof_names_init(struct sprof_names *names, const struct sprof_module *module,
	const char *debug_root, struct sprof_error *err);
/* Reads the symbol tables unless that is done. The image is there. False: no memory. */
bool sprof_names_load_symtab(struct sprof_names *names, struct sprof_error *err);
/* Zeroed names are accepted. */
void sprof_names_finish(struct sprof_names *names);

#endif
