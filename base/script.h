/*
 * The functions of a source file run by an interpreter. A frame in such a file encodes function and
 * line as its offset.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_script_function {
	const char *name;
	uint32_t line; /* of its definition; 0: unknown */
};

/*
 * The table only grows, and functions never move. One thread adds; others may read at the same
 * time.
 */
struct sprof_script;

/* Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_script *sprof_script_create(void);
/* NULL is accepted. */
void sprof_script_destroy(struct sprof_script *script);

/*
 * Finds or adds the function with this name and line. Returns false if out of memory, or if there
 * are too many functions.
 */
SPROF_MUST_USE bool sprof_script_intern(
	struct sprof_script *script, const char *name, uint32_t line, uint32_t *ret_function);

/* The offset stored in a frame. line 0: unknown; a line that does not fit becomes 0. */
uint64_t sprof_script_offset(uint32_t function, uint32_t line);
/* The function and line of such an offset. NULL: no such function. */
const struct sprof_script_function *sprof_script_find(
	const struct sprof_script *script, uint64_t offset, uint32_t *ret_line);
