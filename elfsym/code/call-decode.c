/*
 * Decodes call instructions from their end, and jumps from their beginning, by their encodings
 * (Intel SDM volume 2, CALL, JMP, Jcc; Arm ARM C6.2, BL, BLR, B, BR). Does not know where
 * instructions begin. Does not handle far calls, nor conditional branches of aarch64.
 */
#include "elfsym/code/call-decode.h"

#include <string.h>

enum { X86_DIRECT_SIZE = 5, X86_INDIRECT_LEAST = 2, X86_INDIRECT_MOST = 7, ARM_WORD = 4 };

size_t sprof_x86_operand_size(const uint8_t *modrm, size_t room)
{
	unsigned mode = modrm[0] >> 6, register_or_memory = modrm[0] & 7;
	bool has_sib = mode != 3 && register_or_memory == 4;
	size_t size = 1 + has_sib;

	if (mode == 1)
		return size + 1;
	if (mode == 2 || (mode == 0 && register_or_memory == 5))
		return size + 4;
	if (mode == 0 && has_sib && room > 1 && (modrm[1] & 7) == 5)
		return size + 4;
	return size;
}

/* FF /2 of this size. Prefixes stand before it and don't change where it ends. */
static bool is_x86_indirect(const uint8_t *end, size_t size)
{
	const uint8_t *at = end - size;

	return at[0] == 0xff && (at[1] >> 3 & 7) == 2 &&
		1 + sprof_x86_operand_size(at + 1, size - 1) == size;
}

static enum sprof_call decode_x86_64(
	const uint8_t before[SPROF_CALL_LONGEST], uint64_t address, uint64_t *ret_target)
{
	const uint8_t *end = before + SPROF_CALL_LONGEST;
	int32_t distance;

	/* The SIB byte of the longest indirect call may be E8, the opcode of a direct call. */
	if (end[-X86_DIRECT_SIZE] == 0xe8 && !is_x86_indirect(end, X86_INDIRECT_MOST)) {
		memcpy(&distance, end - sizeof(distance), sizeof(distance));
		*ret_target = address + (uint64_t)(int64_t)distance;
		return SPROF_CALL_DIRECT;
	}
	for (size_t size = X86_INDIRECT_LEAST; size <= X86_INDIRECT_MOST; size++) {
		if (is_x86_indirect(end, size))
			return SPROF_CALL_INDIRECT;
	}
	return SPROF_CALL_NONE;
}

/* The imm26 of B and BL, in bytes. */
static uint64_t arm_distance(uint32_t word)
{
	return (uint64_t)((int64_t)((uint64_t)word << 38) >> 36);
}

static enum sprof_call decode_aarch64(
	const uint8_t before[SPROF_CALL_LONGEST], uint64_t address, uint64_t *ret_target)
{
	uint32_t word;

	memcpy(&word, before + SPROF_CALL_LONGEST - ARM_WORD, sizeof(word));
	if (word >> 26 == 0x25) {
		*ret_target = address - ARM_WORD + arm_distance(word);
		return SPROF_CALL_DIRECT;
	}
	/* BLR; BLRAA and similar, which authenticate the pointer. */
	if ((word & 0xfffffc1f) == 0xd63f0000 || (word & 0xfefff800) == 0xd63f0800)
		return SPROF_CALL_INDIRECT;
	return SPROF_CALL_NONE;
}

/* jmp and jcc with a distance of one or four bytes; jmp through a register or memory. */
static enum sprof_call decode_jump_x86_64(
	const uint8_t *code, size_t size, uint64_t address, uint64_t *ret_target)
{
	bool has_byte = size && (code[0] == 0xeb || (code[0] & 0xf0) == 0x70);
	bool is_jcc = size > 1 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80;
	size_t distance_at = 1 + is_jcc;
	int32_t distance;

	if (size > 1 && code[0] == 0xff && (code[1] >> 3 & 7) == 4)
		return SPROF_CALL_INDIRECT;
	if (has_byte && size > 1) {
		*ret_target = address + 2 + (uint64_t)(int64_t)(int8_t)code[1];
		return SPROF_CALL_DIRECT;
	}
	if (size < distance_at + sizeof(distance) || (!is_jcc && code[0] != 0xe9))
		return SPROF_CALL_NONE;
	memcpy(&distance, code + distance_at, sizeof(distance));
	*ret_target = address + distance_at + sizeof(distance) + (uint64_t)(int64_t)distance;
	return SPROF_CALL_DIRECT;
}

/* B; BR, BRAA and similar. Conditional branches don't reach far enough for linkers to use. */
static enum sprof_call decode_jump_aarch64(
	const uint8_t *code, size_t size, uint64_t address, uint64_t *ret_target)
{
	uint32_t word;

	if (size < ARM_WORD)
		return SPROF_CALL_NONE;
	memcpy(&word, code, sizeof(word));
	if (word >> 26 == 5) {
		*ret_target = address + arm_distance(word);
		return SPROF_CALL_DIRECT;
	}
	if ((word & 0xfffffc1f) == 0xd61f0000 || (word & 0xfefff800) == 0xd61f0800)
		return SPROF_CALL_INDIRECT;
	return SPROF_CALL_NONE;
}

enum sprof_call sprof_call_decode(enum sprof_machine machine,
	const uint8_t before[SPROF_CALL_LONGEST], uint64_t address, uint64_t *ret_target)
{
	return machine == SPROF_MACHINE_X86_64 ? decode_x86_64(before, address, ret_target)
					       : decode_aarch64(before, address, ret_target);
}

enum sprof_call sprof_call_decode_jump(enum sprof_machine machine, const uint8_t *code, size_t size,
	uint64_t address, uint64_t *ret_target)
{
	return machine == SPROF_MACHINE_X86_64
		? decode_jump_x86_64(code, size, address, ret_target)
		: decode_jump_aarch64(code, size, address, ret_target);
}
