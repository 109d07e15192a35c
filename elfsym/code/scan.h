/*
 * Scans a module's code, instruction by instruction in order of address. Shared by
 * starts-load.c, starts.c, ends.c, parts.c and unwind/code/returns.c.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/code/starts.h"
#include "elfsym/elf/image.h"

/* A contiguous piece of executable bytes in the file. */
struct sprof_code_text {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

/* Returns false if the segment has no code. */
bool sprof_code_text_find(
	const struct sprof_image *image, size_t segment, struct sprof_code_text *ret);

/* The length of the instruction; 1 if it is invalid. */
size_t sprof_code_text_length(const struct sprof_code_text *text, size_t at);

/* The target of "call X", or the address of the word used by "call *X(%rip)"; 0: neither. */
uint64_t sprof_code_text_call(const struct sprof_code_text *text, size_t at, size_t length);

/* Whether an instruction is padding, or int3, which linkers use as padding, too. */
bool sprof_code_text_is_padding(const uint8_t *code, size_t length);

/* Whether an instruction is hlt, int3 or ud2. */
bool sprof_code_text_is_trap(const uint8_t *code, size_t length);

/*
 * Whether execution does not continue after it: a jump, return or trap; or a (system) call that
 * may not return.
 */
bool sprof_code_text_ends_way(const uint8_t *code, size_t length);

bool sprof_code_set_add(
	struct sprof_code_set *set, uint64_t address, struct sprof_error *err) SPROF_MUST_USE;
/* Sorts, and removes duplicates. */
void sprof_code_set_sort(struct sprof_code_set *set);
bool sprof_code_set_has(const struct sprof_code_set *set, uint64_t address);
/* The index of the first address above this one; `count` if there is none. */
size_t sprof_code_set_behind(const struct sprof_code_set *set, uint64_t address);
void sprof_code_set_finish(struct sprof_code_set *set);

/* In starts.c: sorts the added addresses, so that they can be found. */
void sprof_code_starts_sort(struct sprof_code_starts *starts);

/* A call, and the next address after it and any padding. */
struct sprof_code_call {
	uint64_t callee, behind;
};

enum { SPROF_CODE_TRAP = 0 }; /* value of `behind`: a trap directly follows the call */

/* All calls of a module. Zeroed is empty and valid. */
struct sprof_code_calls {
	struct sprof_code_call *items;
	size_t count, capacity;
	bool is_behind; /* the last instruction was a call, or padding after one */
};

/*
 * In ends.c: processes the next instruction; `callee`: from sprof_code_text_call(). Returns
 * false if out of memory.
 */
bool sprof_code_calls_note(struct sprof_code_calls *calls, const struct sprof_code_text *text,
	size_t at, size_t length, uint64_t callee, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Adds functions that never return to starts->ends. `called` and the known starts must be sorted.
 * Sorts the calls. Returns false if out of memory.
 */
bool sprof_code_ends_add(struct sprof_code_starts *starts, struct sprof_code_calls *calls,
	const struct sprof_code_set *called, const struct sprof_code_set *fdes,
	struct sprof_error *err) SPROF_MUST_USE;

/*
 * In parts.c: adds to starts->parts and starts->jumps. All other starts must be sorted; the
 * functions don't include parts yet. Returns false if out of memory.
 */
bool sprof_code_parts_add(struct sprof_code_starts *starts, const struct sprof_image *image,
	struct sprof_error *err) SPROF_MUST_USE;

/* Whether functions with that name never return. `is_import`: the function is in another module. */
bool sprof_code_ends_by_name(const char *name, size_t length, bool is_import);
