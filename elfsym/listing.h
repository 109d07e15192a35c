/*
 * All functions that are known of a module, for people who want to see them.
 */
#ifndef SPROF_ELFSYM_LISTING_H
#define SPROF_ELFSYM_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/module.h"
#include "elfsym/debugfile.h"

struct sprof_listed {
	uint64_t address; /* link-time; of anonymous memory its own */
	uint64_t size;    /* 0: unknown, it reaches to the next one */
	const char *name; /* as the linker knows it, without version; "app+0x1230" for a bare FDE */
	const char *source;
};

struct sprof_listing {
	struct sprof_listed *items; /* by address, then name; each pair once */
	size_t count, capacity;
	struct sprof_strtab *strings;
};

enum sprof_listing_parts {
	SPROF_LISTING_FILE = 1, /* symbols, the PLT, and what only the unwind tables know */
	SPROF_LISTING_SYSMAP = 2,
};

/*
 * Lists the parts asked for; sysmap is the module's list as text, or NULL. Fails when the module
 * can't be read at all, or memory is short.
 */
bool sprof_listing_create(const struct sprof_module *module,
	const struct sprof_debug_places *places, const char *sysmap, unsigned parts,
	struct sprof_listing *ret, struct sprof_error *err);
void sprof_listing_finish(struct sprof_listing *listing);

/* The first of the functions that begin last at or before the address, if it covers it; NULL: none.
 */
const struct sprof_listed *sprof_listing_find(
	const struct sprof_listing *listing, uint64_t address);

/* Whether one of the functions at exactly this address has the name. */
bool sprof_listing_has(const struct sprof_listing *listing, uint64_t address, const char *name);

#endif
