/*
 * The call instruction before a return address, and jumps.
 */
#ifndef SPROF_ELFSYM_CALL_DECODE_H
#define SPROF_ELFSYM_CALL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/machine.h"

enum sprof_call {
	SPROF_CALL_NONE,     /* no call ends there */
	SPROF_CALL_DIRECT,   /* to an address within the instruction */
	SPROF_CALL_INDIRECT, /* through a register or memory */
};

enum { SPROF_CALL_LONGEST = 8 }; /* bytes of the longest form */

/*
 * The call that ends right before this link-time address; `before` are the SPROF_CALL_LONGEST bytes
 * up to it. *ret_target is set for a direct call. Instructions of different lengths can end at the
 * same place: any match counts as a call.
 */
enum sprof_call sprof_call_decode(enum sprof_machine machine,
	const uint8_t before[SPROF_CALL_LONGEST], uint64_t address, uint64_t *ret_target);

/*
 * The jump at the first of these bytes, which are at this link-time address; functions make tail
 * calls by jumps. *ret_target is set for a direct jump. The bytes may also be the inside of another
 * instruction. SPROF_CALL_NONE also if `size` ends before the jump does.
 */
enum sprof_call sprof_call_decode_jump(enum sprof_machine machine, const uint8_t *code, size_t size,
	uint64_t address, uint64_t *ret_target);

/* Jumps begin at multiples of this. */
enum { SPROF_CALL_STEP_X86_64 = 1, SPROF_CALL_STEP_AARCH64 = 4 };

#if defined(__x86_64__)
#define SPROF_CALL_STEP SPROF_CALL_STEP_X86_64
#elif defined(__aarch64__)
#define SPROF_CALL_STEP SPROF_CALL_STEP_AARCH64
#endif

#endif
