/*
 * An instruction that runs at another place than its own, because a breakpoint is there. Pure
 * functions.
 */
#ifndef SPROF_ATTACH_DISPLACE_H
#define SPROF_ATTACH_DISPLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

enum {
	SPROF_CODE_MAX = 16,     /* bytes of an instruction, at most */
	SPROF_CALL_MAX = 8,      /* of a call */
	SPROF_DISPLACED_MAX = 32 /* with the jump back */
};

enum sprof_displacement {
	SPROF_DISPLACE_COPY,   /* runs in a copy, which jumps back */
	SPROF_DISPLACE_JUMP,   /* goes on at the target */
	SPROF_DISPLACE_BRANCH, /* goes on at the target, if the condition holds, or behind it */
	SPROF_DISPLACE_CALL,   /* pushes the address behind it, and goes on at the target */
	SPROF_DISPLACE_NEVER,  /* it runs only at its own place */
};

struct sprof_displaced {
	enum sprof_displacement kind;
	uint64_t next, target;
	uint8_t condition; /* BRANCH: the low four bits of its opcode */
	uint8_t code[SPROF_CODE_MAX];
	size_t size;
	/* COPY: where the distance to an address lies in the code, and the address. 0: it has none */
	size_t distance_at;
	uint64_t refers_to;
};

/* Whether instructions can be decoded: without a decoder all are NEVER. */
bool sprof_displace_has_decoder(void);

/* Whether the bytes before an address end with a call: it may be where one returns to. */
bool sprof_displace_is_behind_call(const uint8_t before[SPROF_CALL_MAX]);

/* Describes the instruction at an address. `size` bytes of `code` are there. */
void sprof_displace(
	const uint8_t *code, size_t size, uint64_t address, struct sprof_displaced *ret);

/*
 * The bytes of a COPY for a slot of SPROF_DISPLACED_MAX bytes. Returns their number; 0: the address
 * that it refers to is more than 2 GiB away.
 */
SPROF_MUST_USE size_t sprof_displaced_write(
	const struct sprof_displaced *displaced, uint64_t slot, uint8_t ret[SPROF_DISPLACED_MAX]);

/* BRANCH: whether it goes to the target, by the flags register. */
bool sprof_displaced_is_taken(const struct sprof_displaced *displaced, uint64_t flags);

#endif
