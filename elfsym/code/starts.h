/*
 * The start addresses of a module's functions, from symbols, unwind tables and calls in the code.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/elf/image.h"

/* A jump from one function into another. */
struct sprof_code_jump {
	uint64_t to, from;
};

/* Link-time addresses, sorted by sprof_code_set_sort(). Zeroed is empty and valid. */
struct sprof_code_set {
	uint64_t *items;
	size_t count, capacity;
};

/* Sorted, without duplicates. Zeroed is empty and valid. */
struct sprof_code_starts {
	struct sprof_code_set functions;
	/* Functions that never return, and words that hold such a function's address. */
	struct sprof_code_set ends;
	struct sprof_code_set data;    /* addresses of data used in code */
	struct sprof_code_set parts;   /* functions reached only by jumps or unwind tables */
	struct sprof_code_jump *jumps; /* sorted; includes jumps to parts */
	size_t jump_count, jump_capacity;
};

/*
 * Reads symbols and FDEs. Also scans the code if at least an eighth of it has no FDEs; if that
 * would take more than about a second, finds nothing. `always`: scans the code in any case, without
 * a limit. Returns false if out of memory.
 */
bool sprof_code_starts_load(struct sprof_code_starts *starts, const struct sprof_image *image,
	bool always, struct sprof_error *err) SPROF_MUST_USE;
void sprof_code_starts_finish(struct sprof_code_starts *starts);

/* The index of the last function that begins at or before the address; SIZE_MAX: none. */
size_t sprof_code_starts_find(const struct sprof_code_starts *starts, uint64_t address);

/*
 * Whether the function at the address, or the one whose address is in the word there, never
 * returns.
 */
bool sprof_code_starts_is_end(const struct sprof_code_starts *starts, uint64_t address);

/* Whether a function begins at the address; separate parts don't count. */
bool sprof_code_starts_is_function(const struct sprof_code_starts *starts, uint64_t address);

/* The jumps to a part; none if it is not a part. */
size_t sprof_code_starts_jumps(
	const struct sprof_code_starts *starts, uint64_t part, const struct sprof_code_jump **ret);

/* The number of bytes up to the next data address used in code, which ends a table. */
uint64_t sprof_code_starts_room(const struct sprof_code_starts *starts, uint64_t address);
