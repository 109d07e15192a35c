/*
 * The local variables of a frame: names, and values at one moment.
 */
#ifndef SPROF_ELFSYM_LOCALS_H
#define SPROF_ELFSYM_LOCALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "elfsym/frame-machine.h"
#include "elfsym/symbols.h"

enum sprof_local_state {
	SPROF_LOCAL_KNOWN,
	SPROF_LOCAL_OPTIMIZED_OUT, /* the compiler did not keep it at this place */
	SPROF_LOCAL_UNKNOWN,       /* it needs a register or memory that is not known */
};

struct sprof_local {
	char *name;  /* as the file has it: may hold anything */
	char *value; /* the same; NULL: not known */
	enum sprof_local_state state;
	bool is_parameter;
};

/* Parameters first, then those of outer blocks before those of inner ones. */
struct sprof_locals {
	struct sprof_local *items;
	size_t count, capacity;
};

/* A place on a stack, as a frame and the number of its function there: 0 is the innermost of those
 * that are inlined. */
struct sprof_local_place {
	uint32_t module;
	uint64_t offset; /* of the instruction; see sprof_symbols_resolve() */
	size_t level;
};

/*
 * The variables of a function at a place. Variables that live outside of the frame (static ones) are
 * left out. Without DWARF there are none. The caller finishes *ret. False: no memory.
 */
bool sprof_symbols_find_locals(struct sprof_symbols *symbols, const struct sprof_local_place *place,
	const struct sprof_frame_machine *machine, struct sprof_locals *ret,
	struct sprof_error *err) SPROF_MUST_USE;
void sprof_locals_finish(struct sprof_locals *locals);

/*
 * Replaces the registers of a frame by its caller's, except for what can't be told; see
 * sprof_caller_registers_find(). False: no memory.
 */
bool sprof_symbols_leave_frame(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_frame_machine *machine, struct sprof_error *err) SPROF_MUST_USE;

#endif
