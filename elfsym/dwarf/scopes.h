/* The functions and inlined calls of one compilation unit, by address. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/elf/image.h"
#include "elfsym/elf/ranges.h"

#define SPROF_SCOPE_NONE SPROF_RANGES_NONE

/* A DW_TAG_subprogram or DW_TAG_inlined_subroutine that has code. */
struct sprof_scope {
	Dwarf_Die die;
	/* the scope that contains the inlined call; SPROF_SCOPE_NONE: not inlined */
	uint32_t parent;
};

/* A function with code. Its inlined calls are read at the first lookup of an address in it. */
struct sprof_scope_function {
	uint32_t scope; /* index of the function's scope */
	bool walked;
	struct sprof_ranges inlined; /* -> index of the innermost scope */
};

/* A DIE that qualifies the names declared in it: namespace, class, function. */
struct sprof_container {
	Dwarf_Off begin, end; /* `end` is after its content, or UINT64_MAX: see parent */
	uint32_t parent;      /* SPROF_SCOPE_NONE: the unit */
	bool is_open;         /* a namespace: its inner containers are in the table, too */
};

/* Zeroed is empty and valid. */
struct sprof_scopes {
	struct sprof_scope *items;
	size_t count, capacity;
	struct sprof_scope_function *functions;
	size_t function_count, function_capacity;
	struct sprof_ranges ranges;         /* -> index of the function */
	struct sprof_container *containers; /* by begin */
	size_t container_count, container_capacity;
	bool searched_deeper; /* functions inside classes and functions were added, too */
};

/*
 * Adds a DIE's code ranges to the table, except ranges outside the image's executable segments
 * (code dropped by the linker). Each range counts against the budget, which only a malicious file
 * exhausts; at 0 no more are added. Returns false if out of memory.
 */
bool sprof_scopes_add_ranges(struct sprof_ranges *ranges, const struct sprof_image *image,
	Dwarf_Die *die, struct sprof_range *range, size_t *budget) SPROF_MUST_USE;

/* Reads the functions and namespaces of the unit, once. Returns false if out of memory. */
bool sprof_scopes_load(struct sprof_scopes *scopes, const struct sprof_image *image,
	Dwarf_Die *unit, size_t *budget) SPROF_MUST_USE;

/* The innermost scope at the address; SPROF_SCOPE_NONE: none. Returns false if out of memory. */
bool sprof_scopes_find(struct sprof_scopes *scopes, const struct sprof_image *image,
	uint64_t address, size_t *budget, uint32_t *ret) SPROF_MUST_USE;

/* The function at the address, ignoring inlined calls, which are then not read. */
bool sprof_scopes_find_function(struct sprof_scopes *scopes, const struct sprof_image *image,
	uint64_t address, size_t *budget, uint32_t *ret) SPROF_MUST_USE;

/*
 * The innermost container in the table around the DIE at the offset, except the DIE itself;
 * SPROF_SCOPE_NONE: none.
 */
uint32_t sprof_scopes_container(const struct sprof_scopes *scopes, Dwarf_Off offset);

void sprof_scopes_finish(struct sprof_scopes *scopes);
