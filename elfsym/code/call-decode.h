/* Decodes the call instruction before a return address, and jumps. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/elf/machine.h"

enum sprof_call {
	SPROF_CALL_NONE,     /* no call ends there */
	SPROF_CALL_DIRECT,   /* to an address in the instruction */
	SPROF_CALL_INDIRECT, /* through a register or memory */
};

enum { SPROF_CALL_LONGEST = 8 }; /* bytes of the longest encoding */

/*
 * Decodes the call that ends right before this link-time address; `before` are the
 * SPROF_CALL_LONGEST bytes before it. Sets *ret_target for a direct call. Instructions of different
 * lengths can end at the same place: any match counts as a call.
 */
enum sprof_call sprof_call_decode(enum sprof_machine machine,
	const uint8_t before[SPROF_CALL_LONGEST], uint64_t address, uint64_t *ret_target);

/*
 * Decodes the jump at these bytes, which are at this link-time address; tail calls are jumps. Sets
 * *ret_target for a direct jump. The bytes may be inside another instruction. Also returns
 * SPROF_CALL_NONE if the jump is longer than `size`.
 */
enum sprof_call sprof_call_decode_jump(enum sprof_machine machine, const uint8_t *code, size_t size,
	uint64_t address, uint64_t *ret_target);

/* The size of a ModRM operand: ModRM itself, a SIB byte, a displacement. `room` is above 0. */
size_t sprof_x86_operand_size(const uint8_t *modrm, size_t room);

/* Alignment of jump instructions. */
enum { SPROF_CALL_STEP_X86_64 = 1, SPROF_CALL_STEP_AARCH64 = 4 };

#if defined(__x86_64__)
#define SPROF_CALL_STEP SPROF_CALL_STEP_X86_64
#elif defined(__aarch64__)
#define SPROF_CALL_STEP SPROF_CALL_STEP_AARCH64
#endif
