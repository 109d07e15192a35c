/*
 * A module's code, read instruction by instruction in the order in which it lies: what code-starts.c, code-ends.c,
 * code-parts.c and unwind/code-returns.c share.
 */
#ifndef SPROF_ELFSYM_CODE_SCAN_H
#define SPROF_ELFSYM_CODE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elfsym/code-starts.h"
#include "elfsym/image.h"

/* Executable bytes of the file, in one piece. */
struct sprof_code_text {
	const uint8_t *bytes;
	size_t size;
	uint64_t address;
};

/* False: the segment has no code. */
bool sprof_code_text_find(
	const struct sprof_image *image, size_t segment, struct sprof_code_text *ret);

/* The length of an instruction; of what can't be read as one it is one byte. */
size_t sprof_code_text_length(const struct sprof_code_text *text, size_t at);

/* The address that "call X" calls, or of the word that has it for "call *X(%rip)"; 0: another instruction. */
uint64_t sprof_code_text_call(const struct sprof_code_text *text, size_t at, size_t length);

/* Whether an instruction is padding, or int3, which lies there too. */
bool sprof_code_text_is_padding(const uint8_t *code, size_t length);

/* Whether an instruction is hlt, int3 or ud2. */
bool sprof_code_text_is_trap(const uint8_t *code, size_t length);

/* Whether code doesn't go on behind it: a jump, a return, a trap; or a call, of the system too, which may not return. */
bool sprof_code_text_ends_way(const uint8_t *code, size_t length);

/* Addresses, sorted once sprof_code_set_sort() was called. Zeroed is empty and valid. */
struct sprof_code_set {
	uint64_t *items;
	size_t count, capacity;
};

bool sprof_code_set_add(struct sprof_code_set *set, uint64_t address, struct sprof_error *err);
/* Leaves each once. */
void sprof_code_set_sort(struct sprof_code_set *set);
bool sprof_code_set_has(const struct sprof_code_set *set, uint64_t address);
/* The index of the first one behind the address; `count`: there is none. */
size_t sprof_code_set_behind(const struct sprof_code_set *set, uint64_t address);
void sprof_code_set_finish(struct sprof_code_set *set);

/* code-starts.c: each adds one address, not sorted yet. False: no memory. */
bool sprof_code_starts_add_end(
	struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err);
bool sprof_code_starts_add_part(
	struct sprof_code_starts *starts, uint64_t address, struct sprof_error *err);

/* A call, and what lies behind it and padding: the address of an instruction, or a trap right behind the call. */
struct sprof_code_call {
	uint64_t callee, behind;
};

enum { SPROF_CODE_TRAP = 0 }; /* in place of what lies behind */

/* All calls of a module. Zeroed is empty and valid. */
struct sprof_code_calls {
	struct sprof_code_call *items;
	size_t count, capacity;
	bool is_behind; /* the last instruction was a call, or padding behind it */
};

/* code-ends.c: takes in the next instruction; `callee`: sprof_code_text_call(). False: no memory. */
bool sprof_code_calls_note(struct sprof_code_calls *calls, const struct sprof_code_text *text, size_t at,
	size_t length, uint64_t callee, struct sprof_error *err);

/*
 * Adds what is called where nothing lies behind to starts->ends. `called` and the starts known so far are sorted, the
 * calls are sorted then. False: no memory.
 */
bool sprof_code_ends_add(struct sprof_code_starts *starts, struct sprof_code_calls *calls,
	const struct sprof_code_set *called, const struct sprof_code_set *fdes, struct sprof_error *err);

/*
 * code-parts.c: adds to starts->parts and starts->jumps. All other starts are sorted; the parts are not among the items
 * yet. False: no memory.
 */
bool sprof_code_parts_add(
	struct sprof_code_starts *starts, const struct sprof_image *image, struct sprof_error *err);

/* Whether functions of that name never return; `is_import`: it is another module's. */
bool sprof_code_ends_by_name(const char *name, size_t length, bool is_import);

#endif
