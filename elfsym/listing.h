/*
 * All known functions of a module, and on request its data, for people to look at.
 */
#ifndef SPROF_ELFSYM_LISTING_H
#define SPROF_ELFSYM_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "elfsym/debugfile.h"

struct sprof_listed {
	uint64_t address; /* link-time; in anonymous memory, run-time */
	uint64_t size;    /* 0: unknown, reaches to the next one */
	const char *name; /* the linker's name, without version; "app+0x1230" for a bare FDE */
	const char *source;
	/* Only of symbols of a table, with SPROF_LISTING_ALL; else NULL. See struct sprof_entry. */
	const char *type, *binding, *section;
	bool is_code;
};

struct sprof_listing {
	struct sprof_listed *items; /* by address, then name; each pair once */
	size_t count, capacity;
	struct sprof_strtab *strings;
};

enum sprof_listing_parts {
	SPROF_LISTING_FILE = 1, /* symbols, the PLT, and functions only in unwind tables */
	SPROF_LISTING_SYSMAP = 2,
	SPROF_LISTING_ALL = 4, /* with SPROF_LISTING_FILE: also data, and what the tables tell */
};

/*
 * Lists the requested parts. sysmap is the module's list as text, or NULL. Fails if the module
 * can't be read at all, or without memory.
 */
bool sprof_listing_create(const struct sprof_module *module,
	const struct sprof_debug_places *places, const char *sysmap, unsigned parts,
	struct sprof_listing *ret, struct sprof_error *err) SPROF_MUST_USE;
/*
 * The symbols of an object file, by section, then address, then name: their addresses begin with 0 in
 * each section. elf is libelf's Elf *. Without `all`, only functions. False: no memory.
 */
bool sprof_listing_create_object(
	void *elf, bool all, struct sprof_listing *ret, struct sprof_error *err) SPROF_MUST_USE;
void sprof_listing_finish(struct sprof_listing *listing);

/* The function with the last begin at or before the address, if it covers the address; if several
 * begin there, the first. NULL: none. */
const struct sprof_listed *sprof_listing_find(
	const struct sprof_listing *listing, uint64_t address);

/* The smallest variable that covers the address. Only a listing with SPROF_LISTING_ALL has some.
 * NULL: none. */
const struct sprof_listed *sprof_listing_find_data(
	const struct sprof_listing *listing, uint64_t address);

#endif
