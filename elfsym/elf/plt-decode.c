/*
 * Decodes the jump of a PLT entry and the instructions that may precede it. Linkers differ in the
 * rest of the entry. Does not handle sections and relocations.
 */
#include "elfsym/elf/plt-decode.h"

#include <string.h>

enum {
	X86_JUMP_SIZE = 6,
	X86_PUSH_SIZE = 5,
	ARM_WORD = 4,
	ARM_WORDS = 6, /* of the longest entry: bti, adrp, ldr, add, autia1716, br */
};

/*
 * jmp *displacement(%rip), after optional endbr64 and bnd; or a lazy IBT .plt's push of an index.
 */
static bool decode_x86_64(
	const uint8_t *bytes, size_t room, uint64_t address, struct sprof_plt_jump *ret)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t at = 0;
	int32_t operand;

	if (room >= sizeof(endbr64) && memcmp(bytes, endbr64, sizeof(endbr64)) == 0)
		at = sizeof(endbr64);
	*ret = (struct sprof_plt_jump){.size = room};
	if (at && room - at >= X86_PUSH_SIZE && bytes[at] == 0x68) {
		memcpy(&operand, bytes + at + 1, sizeof(operand));
		ret->is_index = true;
		ret->index = (uint64_t)(int64_t)operand;
		return operand >= 0;
	}
	at += room - at > X86_JUMP_SIZE && bytes[at] == 0xf2;
	if (room - at < X86_JUMP_SIZE || bytes[at] != 0xff || bytes[at + 1] != 0x25)
		return false;
	memcpy(&operand, bytes + at + 2, sizeof(operand));
	ret->slot = address + at + X86_JUMP_SIZE + (uint64_t)(int64_t)operand;
	return true;
}

/* The size up to br x17 and a nop of padding; 0: there is no br. */
static size_t arm_size(const uint32_t words[ARM_WORDS], size_t count, size_t from)
{
	for (size_t i = from; i < count; i++) {
		if (words[i] != 0xd61f0220)
			continue;
		i++;
		return (i + (i < count && words[i] == 0xd503201f)) * ARM_WORD;
	}
	return 0;
}

/*
 * adrp x16, page; ldr x17, [x16, offset]; add; br x17. May follow bti c, and may authenticate the
 * return address (Arm ARM, C6.2; the ABI's PLT is in AAELF64).
 */
static bool decode_aarch64(
	const uint8_t *bytes, size_t room, uint64_t address, struct sprof_plt_jump *ret)
{
	size_t at, count = room / ARM_WORD < ARM_WORDS ? room / ARM_WORD : ARM_WORDS;
	uint32_t words[ARM_WORDS] = {0};
	int64_t page;

	memcpy(words, bytes, count * ARM_WORD);
	at = words[0] == 0xd503245f;
	if ((words[at] & 0x9f00001f) != 0x90000010 || (words[at + 1] & 0xffc003ff) != 0xf9400211)
		return false;
	page = (int64_t)((uint64_t)(words[at] >> 5 & 0x7ffff) << 45) >> 43;
	page = (page | (words[at] >> 29 & 3)) * 4096;
	*ret = (struct sprof_plt_jump){
		.size = arm_size(words, count, at + 2),
		.slot = ((address + at * ARM_WORD) & ~(uint64_t)4095) + (uint64_t)page +
			(uint64_t)(words[at + 1] >> 10 & 0xfff) * 8,
	};
	return ret->size;
}

bool sprof_plt_decode(enum sprof_machine machine, const uint8_t *bytes, size_t room,
	uint64_t address, struct sprof_plt_jump *ret)
{
	return machine == SPROF_MACHINE_X86_64 ? decode_x86_64(bytes, room, address, ret)
					       : decode_aarch64(bytes, room, address, ret);
}
