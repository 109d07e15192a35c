/* The local variables of a frame: names, and their current values. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/locals/dwarf-frame.h"
#include "elfsym/names/symbols.h"

enum sprof_local_state {
	SPROF_LOCAL_KNOWN,
	SPROF_LOCAL_OPTIMIZED_OUT, /* not available at this pc */
	SPROF_LOCAL_UNKNOWN,       /* needs an unknown register or memory */
};

struct sprof_local {
	char *name;  /* from the file, untrusted */
	char *value; /* untrusted; NULL: unknown */
	enum sprof_local_state state;
	bool is_parameter;
};

/* Parameters first, then variables of outer blocks before those of inner ones. */
struct sprof_locals {
	struct sprof_local *items;
	size_t count, capacity;
};

/* A frame, then its callers, nearest first, as far as known; and the index of the frame's function:
 * 0 is the innermost inlined one. */
struct sprof_local_place {
	const struct sprof_frame_position *frames;
	size_t frame_count; /* at least 1 */
	size_t level;
};

/*
 * Finds the variables of the function, including static ones; without DWARF there are none. The
 * caller finishes *ret. Returns false if out of memory.
 */
bool sprof_symbols_find_locals(struct sprof_symbols *symbols, const struct sprof_local_place *place,
	struct sprof_locals *ret, struct sprof_error *err) SPROF_MUST_USE;
void sprof_locals_finish(struct sprof_locals *locals);

/*
 * Replaces a frame's registers by its caller's, as far as possible; see
 * sprof_caller_registers_find(). Returns false if out of memory.
 */
bool sprof_symbols_leave_frame(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_frame_machine *machine, struct sprof_error *err) SPROF_MUST_USE;
