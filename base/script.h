/*
 * The functions of a source file that a language's interpreter runs. A frame of such a file has, as
 * its offset, a function and a line.
 */
#ifndef SPROF_BASE_SCRIPT_H
#define SPROF_BASE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_script_function {
	const char *name;
	uint32_t line; /* where it begins; 0: unknown */
};

/* The table only grows, functions never move. One thread adds; others may get meanwhile. */
struct sprof_script;

/* NULL: no memory. */
SPROF_MUST_USE struct sprof_script *sprof_script_create(void);
/* NULL is accepted. */
void sprof_script_destroy(struct sprof_script *script);

/* The function with this name and line, added if new. False: no memory, or too many functions. */
SPROF_MUST_USE bool sprof_script_intern(
	struct sprof_script *script, const char *name, uint32_t line, uint32_t *ret_function);

/* What a frame stores: line 0 is unknown; a line that finds no room becomes 0. */
uint64_t sprof_script_offset(uint32_t function, uint32_t line);
/* The function and the line of such an offset. NULL: there is no such function. */
const struct sprof_script_function *sprof_script_find(
	const struct sprof_script *script, uint64_t offset, uint32_t *ret_line);

#endif
