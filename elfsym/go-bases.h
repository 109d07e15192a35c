/*
 * The addresses that Go's table counts from, which only the linker knows.
 */
#ifndef SPROF_ELFSYM_GO_BASES_H
#define SPROF_ELFSYM_GO_BASES_H

#include "elfsym/go-table.h"

/*
 * Sets `text` and `inline_trees` of a table of Go 1.18 or later, as far as they can be found: without the latter
 * nothing is known of inlined functions.
 */
void sprof_go_bases_find(struct sprof_go_table *table);

#endif
