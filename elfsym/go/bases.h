/* The base addresses of Go's function table, which only the linker knows. */
#ifndef SPROF_ELFSYM_GO_BASES_H
#define SPROF_ELFSYM_GO_BASES_H

#include "elfsym/go/table.h"

/*
 * Sets `text` and `inline_trees` in a table of Go 1.18 or later, if found. Without inline_trees,
 * inlined functions are unknown.
 */
void sprof_go_bases_find(struct sprof_go_table *table);

#endif
