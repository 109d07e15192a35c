/*
 * The functions of one compilation unit and what was inlined into them, by address.
 */
#ifndef SPROF_ELFSYM_SCOPES_H
#define SPROF_ELFSYM_SCOPES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/image.h"
#include "elfsym/ranges.h"

struct sprof_dies;

#define SPROF_SCOPE_NONE SPROF_RANGES_NONE

/* A DW_TAG_subprogram or DW_TAG_inlined_subroutine that has code. */
struct sprof_scope {
	Dwarf_Die die;
	uint32_t parent; /* the scope that it is inlined into; SPROF_SCOPE_NONE: not inlined */
};

/* A function with code. Its inlined functions are read when an address in it is first asked for. */
struct sprof_scope_function {
	uint32_t scope; /* its own scope */
	bool walked;
	struct sprof_ranges inlined; /* -> index of the innermost scope */
};

/* A DIE that qualifies the names of its declarations: namespace, class, function. */
struct sprof_container {
	Dwarf_Off begin, end; /* end is behind its content, or UINT64_MAX: see parent */
	uint32_t parent;      /* SPROF_SCOPE_NONE: the unit */
	bool is_open;         /* a namespace: the table also has its inner containers */
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
	struct sprof_dies *dies; /* the unit's */
	bool searched_deeper;    /* functions inside classes and functions are in the table too */
};

/*
 * Adds a DIE's code ranges to the table, except those outside the image's executable segments (dead
 * code that the linker dropped). Each range counts against the budget, which only a hostile file
 * uses up; at 0 no more are added. False: no memory.
 */
bool sprof_scopes_add_ranges(struct sprof_ranges *ranges, const struct sprof_image *image,
	Dwarf_Die *die, struct sprof_range *range, size_t *budget) SPROF_MUST_USE;

/*
 * Reads the functions and namespaces of the unit, once. debug: see sprof_dies_open(). False: no
 * memory.
 */
bool sprof_scopes_load(struct sprof_scopes *scopes, const struct sprof_image *image,
	const struct sprof_image *debug, Dwarf_Die *unit, size_t *budget) SPROF_MUST_USE;

/* The innermost scope at the address; SPROF_SCOPE_NONE: none. False: no memory. */
bool sprof_scopes_find(struct sprof_scopes *scopes, const struct sprof_image *image,
	uint64_t address, size_t *budget, uint32_t *ret) SPROF_MUST_USE;

/* The function at the address, without what was inlined there, which is not read then. */
bool sprof_scopes_find_function(struct sprof_scopes *scopes, const struct sprof_image *image,
	uint64_t address, size_t *budget, uint32_t *ret) SPROF_MUST_USE;

/*
 * The innermost container in the table around the DIE at the offset, without that DIE itself;
 * SPROF_SCOPE_NONE: none.
 */
uint32_t sprof_scopes_container(const struct sprof_scopes *scopes, Dwarf_Off offset);

void sprof_scopes_finish(struct sprof_scopes *scopes);

#endif
