/* Where a called function begins, by names only: for debug files, which contain no code. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/dwarf/dwarf.h"
#include "elfsym/elf/symtab.h"

struct sprof_call_entries;

/* Both must outlive the result. Returns NULL if out of memory. */
struct sprof_call_entries *sprof_call_entries_create(
	struct sprof_dwarf *dwarf, const struct sprof_symtab *symtab);
/* NULL is accepted. */
void sprof_call_entries_destroy(struct sprof_call_entries *entries);

/*
 * The link-time address that a call of `origin` in the function `caller` enters; 0: uncertain.
 * Returns false if out of memory.
 */
bool sprof_call_entries_find(struct sprof_call_entries *entries, const Dwarf_Die *origin,
	const struct sprof_dwarf_function *caller, uint64_t *ret) SPROF_MUST_USE;
