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

/* From one function into another. */
struct sprof_code_jump {
	uint64_t to, from;
};

/* Link-time addresses, sorted, each once. Zeroed is empty and valid. */
struct sprof_code_starts {
	uint64_t *items;
	size_t count, capacity;
	/* Those, sorted, that are known never to return, and words with the address of such a one. */
	uint64_t *ends;
	size_t end_count, end_capacity;
	uint64_t *data; /* sorted: addresses in no code that code takes */
	size_t data_count;
	uint64_t *parts; /* those of the items, sorted, that only jumps or unwind tables are known to lead to */
	size_t part_count, part_capacity;
	struct sprof_code_jump *jumps; /* sorted: those to parts are among them */
	size_t jump_count, jump_capacity;
};

/*
 * Symbols and FDEs; and what the code says, where an eighth of it or more has no FDEs. Of such a module with more code
 * than can be read in about a second nothing. False: no memory.
 */
bool sprof_code_starts_load(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err);
/* The same with what the code says in any case, however long that takes. */
bool sprof_code_starts_load_all(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err);
void sprof_code_starts_finish(struct sprof_code_starts *starts);

/* The index of the last one at or before the address; SIZE_MAX: there is none. */
size_t sprof_code_starts_find(const struct sprof_code_starts *starts, uint64_t address);

/* Whether the function that begins there, or whose address is in the word there, is known never to return. */
bool sprof_code_starts_is_end(const struct sprof_code_starts *starts, uint64_t address);

/* Whether a function begins there, not a part of one that may lie elsewhere. */
bool sprof_code_starts_is_function(const struct sprof_code_starts *starts, uint64_t address);

/* The jumps to a part; none: it is none. */
size_t sprof_code_starts_jumps(
	const struct sprof_code_starts *starts, uint64_t part, const struct sprof_code_jump **ret);

/* How many bytes lie at an address up to the next one that code takes: a table goes on no further. */
uint64_t sprof_code_starts_room(const struct sprof_code_starts *starts, uint64_t address);

#endif
