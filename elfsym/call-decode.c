/*
 * Decodes call instructions from their end, and looks for jumps. Knows their encodings (Intel SDM volume 2, CALL,
 * JMP, Jcc; Arm ARM C6.2, BL, BLR, B). Does not know where instructions begin, nor jumps of one byte.
 */
#include "elfsym/call-decode.h"

#include <string.h>

enum { X86_DIRECT_SIZE = 5, X86_INDIRECT_LEAST = 2, X86_INDIRECT_MOST = 7, ARM_WORD = 4 };

/* The bytes of a ModRM operand: itself, a SIB byte, a displacement. */
static size_t x86_operand_size(const uint8_t *modrm, size_t room)
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

/* FF /2. Prefixes stand before it and change nothing about its end. */
static bool is_x86_indirect(const uint8_t *end)
{
	for (size_t size = X86_INDIRECT_LEAST; size <= X86_INDIRECT_MOST; size++) {
		const uint8_t *at = end - size;

		if (at[0] == 0xff && (at[1] >> 3 & 7) == 2 &&
			1 + x86_operand_size(at + 1, size - 1) == size)
			return true;
	}
	return false;
}

enum sprof_call sprof_call_decode_x86_64(
	const uint8_t before[SPROF_CALL_LONGEST], uint64_t address, uint64_t *ret_target)
{
	const uint8_t *end = before + SPROF_CALL_LONGEST;
	int32_t distance;

	if (end[-X86_DIRECT_SIZE] == 0xe8) {
		memcpy(&distance, end - sizeof(distance), sizeof(distance));
		*ret_target = address + (uint64_t)(int64_t)distance;
		return SPROF_CALL_DIRECT;
	}
	return is_x86_indirect(end) ? SPROF_CALL_INDIRECT : SPROF_CALL_NONE;
}

/* The imm26 of B and BL, in bytes. */
static uint64_t arm_distance(uint32_t word)
{
	return (uint64_t)((int64_t)((uint64_t)word << 38) >> 36);
}

enum sprof_call sprof_call_decode_aarch64(
	const uint8_t before[SPROF_CALL_LONGEST], uint64_t address, uint64_t *ret_target)
{
	uint32_t word;

	memcpy(&word, before + SPROF_CALL_LONGEST - ARM_WORD, sizeof(word));
	if (word >> 26 == 0x25) {
		*ret_target = address - ARM_WORD + arm_distance(word);
		return SPROF_CALL_DIRECT;
	}
	/* BLR, and BLRAA and its kin, which authenticate the pointer. */
	if ((word & 0xfffffc1f) == 0xd63f0000 || (word & 0xfefff800) == 0xd63f0800)
		return SPROF_CALL_INDIRECT;
	return SPROF_CALL_NONE;
}

/* jmp rel32 and jcc rel32. */
bool sprof_call_jumps_x86_64(
	const uint8_t *code, size_t size, uint64_t address, uint64_t target)
{
	int32_t distance;

	for (size_t end = 1 + sizeof(distance); end <= size; end++) {
		const uint8_t *at = code + end - sizeof(distance);

		if (at[-1] != 0xe9 && (end < 2 + sizeof(distance) || (at[-1] & 0xf0) != 0x80 || at[-2] != 0x0f))
			continue;
		memcpy(&distance, at, sizeof(distance));
		if (address + end + (uint64_t)(int64_t)distance == target)
			return true;
	}
	return false;
}

bool sprof_call_jumps_aarch64(
	const uint8_t *code, size_t size, uint64_t address, uint64_t target)
{
	uint32_t word;

	for (size_t at = 0; at + ARM_WORD <= size; at += ARM_WORD) {
		memcpy(&word, code + at, sizeof(word));
		if (word >> 26 == 5 && address + at + arm_distance(word) == target)
			return true;
	}
	return false;
}
