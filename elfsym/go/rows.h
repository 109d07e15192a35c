/*
 * CFI rows from a Go program's own table.
 */
#pragma once

#include <stdint.h>

#include "elfsym/cfi/cfi.h"
#include "elfsym/go/table.h"

/*
 * The row for a link-time address. Its `cfa` is SPROF_CFA_NONE, for this address only, if the table
 * does not cover it, and one of SPROF_CFA_GO_... in functions that switch stacks.
 */
struct sprof_cfi_row sprof_go_rows_find(const struct sprof_go_table *table, uint64_t address);

/* Whether a function of the table begins at a link-time address. */
bool sprof_go_rows_is_entry(const struct sprof_go_table *table, uint64_t address);
