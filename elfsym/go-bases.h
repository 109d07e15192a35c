/*
 * The base addresses of Go's table, which only the linker knows.
 */
#ifndef SPROF_ELFSYM_GO_BASES_H
#define SPROF_ELFSYM_GO_BASES_H

#include "elfsym/go-table.h"

/*
 * Sets `text` and `inline_trees` of a table of Go 1.18 or later, as far as found. Without
 * inline_trees, inlined functions are unknown.
 */
void sprof_go_bases_find(struct sprof_go_table *table);

#endif
