/*
 * Executes an instruction at another address than its own, because a breakpoint is there. Pure
 * functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

enum {
	SPROF_CODE_MAX = 16,     /* maximum bytes of an instruction */
	SPROF_CALL_MAX = 8,      /* maximum bytes of a call */
	SPROF_DISPLACED_MAX = 32 /* including the jump back */
};

enum sprof_displacement {
	SPROF_DISPLACE_COPY, /* runs in a copy, which jumps back */
	SPROF_DISPLACE_JUMP, /* continue at the target */
	/* continue at the target if the condition holds, else after the instruction */
	SPROF_DISPLACE_BRANCH,
	SPROF_DISPLACE_CALL,  /* push the return address, and continue at the target */
	SPROF_DISPLACE_NEVER, /* can only run at its own address */
};

struct sprof_displaced {
	enum sprof_displacement kind;
	uint64_t next, target;
	uint8_t condition; /* BRANCH: the low four bits of its opcode */
	uint8_t code[SPROF_CODE_MAX];
	size_t size;
	/*
	 * COPY: offset of a rip-relative displacement in the code, and the address that it refers
	 * to; 0: none
	 */
	size_t distance_at;
	uint64_t refers_to;
};

/* Whether there is a decoder; without one all instructions are NEVER. */
bool sprof_displace_has_decoder(void);

/*
 * Finds the direct jumps of a function to its own first instruction. `code` is the whole function.
 * Writes at most `most` places, relative to the function; returns their number: 0 if a part of the
 * code can't be decoded.
 */
size_t sprof_displace_find_loops(const uint8_t *code, size_t size, uint32_t *ret, size_t most);

/* Whether the bytes before an address end with a call, so that it may be a return address. */
bool sprof_displace_is_behind_call(const uint8_t before[SPROF_CALL_MAX]);

/* Describes the instruction at an address. `code` has `size` bytes. */
void sprof_displace(
	const uint8_t *code, size_t size, uint64_t address, struct sprof_displaced *ret);

/*
 * Writes a COPY for a slot of SPROF_DISPLACED_MAX bytes. Returns the number of bytes; 0: the
 * address that it refers to is more than 2 GiB away.
 */
SPROF_MUST_USE size_t sprof_displaced_write(
	const struct sprof_displaced *displaced, uint64_t slot, uint8_t ret[SPROF_DISPLACED_MAX]);

/* BRANCH: whether it is taken, by the flags register. */
bool sprof_displaced_is_taken(const struct sprof_displaced *displaced, uint64_t flags);
