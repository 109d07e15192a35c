/*
 * The calls that DWARF describes in one function.
 */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* Limits per file, which only a malicious file reaches. */
struct sprof_call_limits {
	size_t dies;  /* examined */
	size_t sites; /* kept */
};

struct sprof_call_site {
	uint64_t address; /* link-time */
	uint64_t offset;  /* of its DIE */
	bool is_behind;   /* the address is after the instruction, not its own */
	bool is_tail;
};

/* Zeroed is empty and valid. Sites are only appended: those of a function are a slice. */
struct sprof_call_sites {
	struct sprof_call_site *items;
	size_t count, capacity;
	struct sprof_call_limits left;
};

/*
 * Adds the calls of the function. *ret_all: the compiler states that it described every tail call,
 * and all were read. Returns false if out of memory.
 */
bool sprof_call_sites_add(
	struct sprof_call_sites *sites, Dwarf_Die *function, bool *ret_all) SPROF_MUST_USE;
void sprof_call_sites_finish(struct sprof_call_sites *sites);

/* The called function. Returns false if unknown, for indirect calls. */
bool sprof_call_site_origin(
	const struct sprof_call_site *site, const Dwarf_Die *caller, Dwarf_Die *ret) SPROF_MUST_USE;

/*
 * Whether the origin of a call is this function, its declaration, or the function that it is a copy
 * of.
 */
bool sprof_call_origin_is(const Dwarf_Die *origin, const Dwarf_Die *function);

/* The declaration or abstract function that all copies of a function refer to. */
Dwarf_Die sprof_call_origin_root(const Dwarf_Die *function);
/* Its linkage name, if the language has one; NULL: none. */
const char *sprof_call_origin_name(const Dwarf_Die *function);
/* Whether it can be called from other units. */
bool sprof_call_origin_is_external(const Dwarf_Die *function);
