/*
 * The starts of a module's functions, found by symbols, unwind tables and calls in its code.
 */
#ifndef SPROF_ELFSYM_CODE_STARTS_H
#define SPROF_ELFSYM_CODE_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/image.h"

/* From one function into another. */
struct sprof_code_jump {
	uint64_t to, from;
};

/* Link-time addresses, sorted, each once. Zeroed is empty and valid. */
struct sprof_code_starts {
	uint64_t *items;
	size_t count, capacity;
	/* Sorted: functions that never return, and words that hold the address of one. */
	uint64_t *ends;
	size_t end_count, end_capacity;
	uint64_t *data; /* sorted: addresses outside code that code takes */
	size_t data_count;
	/* sorted: the items that are only reached by jumps or unwind tables */
	uint64_t *parts;
	size_t part_count, part_capacity;
	struct sprof_code_jump *jumps; /* sorted; includes jumps to parts */
	size_t jump_count, jump_capacity;
};

/*
 * Reads symbols and FDEs. Reads code too if an eighth of it or more has no FDEs; if that takes more
 * than about a second, finds nothing. `always`: reads code in any case, however long that takes.
 * False: no memory.
 */
bool sprof_code_starts_load(struct sprof_code_starts *starts, const struct sprof_image *image,
	bool always, struct sprof_error *err) SPROF_MUST_USE;
void sprof_code_starts_finish(struct sprof_code_starts *starts);

/* The index of the last start at or before the address; SIZE_MAX: there is none. */
size_t sprof_code_starts_find(const struct sprof_code_starts *starts, uint64_t address);

/* Whether the function there, or the one whose address is in the word there, never returns. */
bool sprof_code_starts_is_end(const struct sprof_code_starts *starts, uint64_t address);

/* Whether a function begins there; a separate part of a function doesn't count. */
bool sprof_code_starts_is_function(const struct sprof_code_starts *starts, uint64_t address);

/* The jumps to a part; none if it isn't a part. */
size_t sprof_code_starts_jumps(
	const struct sprof_code_starts *starts, uint64_t part, const struct sprof_code_jump **ret);

/* The number of bytes from an address to the next one that code takes, where a table ends. */
uint64_t sprof_code_starts_room(const struct sprof_code_starts *starts, uint64_t address);

#endif
