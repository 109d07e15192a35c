/* All known functions of a module and, if requested, its data, for display. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "elfsym/debug-files/debugfile.h"

struct sprof_listed {
	uint64_t address; /* link-time; in anonymous memory, run-time */
	uint64_t size;    /* 0: unknown, extends to the next one */
	/* the linkage name, without version; "app+0x1230" for an FDE without symbol */
	const char *name;
	const char *source;
	/* Only for table symbols with SPROF_LISTING_ALL; else NULL. See struct sprof_entry. */
	const char *type, *binding, *section;
	bool is_code;
	bool is_indirect;   /* an IFUNC: its code returns the function that calls enter */
	bool returns_twice; /* by one of the names at its address: see sprof_name_returns_twice() */
};

struct sprof_listing {
	struct sprof_listed *items; /* by address, then name; without duplicates */
	size_t count, capacity;
	struct sprof_strtab *strings;
};

/*
 * Whether the function (setjmp, vfork) returns again later to a saved return address. If a source
 * has replaced it, the second return would be unexpected and kill the program.
 */
bool sprof_name_returns_twice(const char *linkage);

enum sprof_listing_parts {
	/* symbols, PLT entries, and functions known only from unwind tables */
	SPROF_LISTING_FILE = 1,
	SPROF_LISTING_SYSMAP = 2,
	/* with SPROF_LISTING_FILE: also data, and the fields type, binding and section */
	SPROF_LISTING_ALL = 4,
};

/*
 * Lists the requested parts. sysmap is the module's list as text, or NULL. Fails if the module
 * can't be read at all, or out of memory.
 */
bool sprof_listing_create(const struct sprof_module *module,
	const struct sprof_debug_places *places, const char *sysmap, unsigned parts,
	struct sprof_listing *ret, struct sprof_error *err) SPROF_MUST_USE;
/*
 * The symbols of an object file, sorted by section, address and name; addresses are relative to the
 * section. elf is libelf's Elf *. Without `all`, functions only. Returns false if out of memory.
 */
bool sprof_listing_create_object(
	void *elf, bool all, struct sprof_listing *ret, struct sprof_error *err) SPROF_MUST_USE;
void sprof_listing_finish(struct sprof_listing *listing);

/* The function that covers the address: the last start at or before it; of several with that start,
 * the first. NULL: none. */
const struct sprof_listed *sprof_listing_find(
	const struct sprof_listing *listing, uint64_t address);

/* The smallest variable that covers the address; only in a listing with SPROF_LISTING_ALL. NULL:
 * none. */
const struct sprof_listed *sprof_listing_find_data(
	const struct sprof_listing *listing, uint64_t address);
