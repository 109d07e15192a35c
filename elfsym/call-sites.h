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

/* What lists of calls may take of one file, which only a hostile one uses up. */
struct sprof_call_limits {
	size_t dies;  /* that are looked at */
	size_t sites; /* that are kept */
};

struct sprof_call_site {
	uint64_t address; /* link-time */
	uint64_t offset;  /* of its DIE */
	bool is_behind;   /* the address is behind the instruction, not its own */
	bool is_tail;
};

/* Zeroed is empty and valid. Sites are only ever added: a function's are a slice. */
struct sprof_call_sites {
	struct sprof_call_site *items;
	size_t count, capacity;
	struct sprof_call_limits left;
};

/*
 * Adds the calls of the function. `dies` is the cursor of its unit. *ret_all: the compiler says that
 * it described each tail call, and all were read. False: no memory.
 */
bool sprof_call_sites_add(struct sprof_call_sites *sites, struct sprof_dies *dies,
	Dwarf_Die *function, bool *ret_all) SPROF_MUST_USE;
void sprof_call_sites_finish(struct sprof_call_sites *sites);

/* The function that a call is meant for. False: not known, because the call is indirect. */
bool sprof_call_site_origin(
	const struct sprof_call_site *site, const Dwarf_Die *caller, Dwarf_Die *ret) SPROF_MUST_USE;

/* Whether the origin of a call is this function, or a declaration of it, or what it is a copy of. */
bool sprof_call_origin_is(const Dwarf_Die *origin, const Dwarf_Die *function);

/* The declaration or abstract function that all copies of a function refer to. */
Dwarf_Die sprof_call_origin_root(const Dwarf_Die *function);
/* As the linker knows it, if the language needs that; NULL: none. */
const char *sprof_call_origin_name(const Dwarf_Die *function);
/* Whether other units can call it, too. */
bool sprof_call_origin_is_external(const Dwarf_Die *function);

#endif
