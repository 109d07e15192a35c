/*
 * Where the functions of a module begin, as far as symbols, unwind tables and its own calls tell.
 */
#ifndef SPROF_ELFSYM_CODE_STARTS_H
#define SPROF_ELFSYM_CODE_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elfsym/image.h"

/* Link-time addresses, sorted, each once. Zeroed is empty and valid. */
struct sprof_code_starts {
	uint64_t *items;
	size_t count, capacity;
	uint64_t *ends; /* those, in any order, whose names say that they never return: "abort", "exit", ... */
	size_t end_count, end_capacity;
};

/* False: no memory. */
bool sprof_code_starts_load(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err);
void sprof_code_starts_finish(struct sprof_code_starts *starts);

/* The index of the last one at or before the address; SIZE_MAX: there is none. */
size_t sprof_code_starts_find(const struct sprof_code_starts *starts, uint64_t address);

/* Whether the function that begins there is one that never returns, by its name. */
bool sprof_code_starts_is_end(const struct sprof_code_starts *starts, uint64_t address);

#endif
