/*
 * Functions, files, lines and inline chains from a Go program's own table.
 */
#pragma once

#include "elfsym/dwarf/dwarf.h"
#include "elfsym/go/table.h"

enum { SPROF_GO_DEEPEST = 64 }; /* limit of an inline chain; deeper functions are left out */

/* A chain, innermost first; strings belong to the table. */
struct sprof_go_chain {
	struct sprof_dwarf_place items[SPROF_GO_DEEPEST];
	size_t count;
};

/* The inline chain at a link-time address. Returns false if the table does not cover it. */
bool sprof_go_lines_find(
	const struct sprof_go_table *table, uint64_t address, struct sprof_go_chain *ret);
