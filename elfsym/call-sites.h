/*
 * The calls that DWARF describes in one function.
 */
#ifndef SPROF_ELFSYM_CALL_SITES_H
#define SPROF_ELFSYM_CALL_SITES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_dies;

struct sprof_call_site {
	uint64_t address; /* link-time */
	bool is_behind;   /* the address is behind the instruction, not its own */
	bool is_tail;
	bool has_origin; /* the function that is called is known: a direct call */
	Dwarf_Die origin;
};

/* Zeroed is empty and valid; reuse it to keep its memory. */
struct sprof_call_sites {
	struct sprof_call_site *items;
	size_t count, capacity;
	bool has_all_tail_calls; /* the compiler says that it described each tail call */
};

/* Reads the calls of the function. `dies` is the cursor of its unit. False: no memory. */
bool sprof_call_sites_read(struct sprof_call_sites *sites, struct sprof_dies *dies,
	Dwarf_Die *function) SPROF_MUST_USE;
void sprof_call_sites_finish(struct sprof_call_sites *sites);

/* Whether a call's origin is this function, or a declaration of it, or what it is a copy of. */
bool sprof_call_site_enters(const struct sprof_call_site *site, const Dwarf_Die *function);

#endif
