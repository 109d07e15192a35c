/*
 * The call instruction before a return address, and jumps, for each machine: all are compiled everywhere, so
 * that each can be tested anywhere.
 */
#ifndef SPROF_ELFSYM_CALL_DECODE_H
#define SPROF_ELFSYM_CALL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sprof_call {
	SPROF_CALL_NONE,     /* no call ends there */
	SPROF_CALL_DIRECT,   /* to an address that is part of the instruction */
	SPROF_CALL_INDIRECT, /* through a register or memory */
};

enum { SPROF_CALL_LONGEST = 8 }; /* bytes of the longest form */

/*
 * What ends right before this link-time address; `before` are the SPROF_CALL_LONGEST bytes up to it.
 * *ret_target is set for a direct call. Instructions of different length can end in one place: a call is
 * reported where the bytes can be one.
 */
enum sprof_call sprof_call_decode_x86_64(
	const uint8_t before[SPROF_CALL_LONGEST], uint64_t address, uint64_t *ret_target);
enum sprof_call sprof_call_decode_aarch64(
	const uint8_t before[SPROF_CALL_LONGEST], uint64_t address, uint64_t *ret_target);

/*
 * The jump that may begin at the first of these bytes, which are at this link-time address: how a function
 * goes on to another one instead of calling it. *ret_target is set for a direct one. What looks like a jump may
 * be the inside of another instruction. SPROF_CALL_NONE also where `size` ends before the jump does.
 */
enum sprof_call sprof_call_decode_jump_x86_64(
	const uint8_t *code, size_t size, uint64_t address, uint64_t *ret_target);
enum sprof_call sprof_call_decode_jump_aarch64(
	const uint8_t *code, size_t size, uint64_t address, uint64_t *ret_target);

/* Jumps begin at multiples of it. */
enum { SPROF_CALL_STEP_X86_64 = 1, SPROF_CALL_STEP_AARCH64 = 4 };

#if defined(__x86_64__)
#define SPROF_CALL_STEP SPROF_CALL_STEP_X86_64
#define sprof_call_decode_jump sprof_call_decode_jump_x86_64
#define sprof_call_decode sprof_call_decode_x86_64
#elif defined(__aarch64__)
#define SPROF_CALL_STEP SPROF_CALL_STEP_AARCH64
#define sprof_call_decode_jump sprof_call_decode_jump_aarch64
#define sprof_call_decode sprof_call_decode_aarch64
#endif

#endif
