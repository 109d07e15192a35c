/*
 * Displaces x86-64 instructions, decoded by Zydis. Instructions that depend on their address are
 * described (relative jumps and calls) or corrected (operands relative to rip). Does not handle
 * indirect calls, loop, jrcxz, xbegin, and operands relative to eip.
 */
#include "attach/breakpoints/displace.h"

#include <Zydis/Zydis.h>
#include <string.h>

enum {
	JUMP_SIZE = 14, /* jmp *0(%rip), followed by the address */
	CONDITION = 0xf,
	/* Bits of the flags register (Intel's manual, volume 1, 3.4.3). */
	CARRY = 1 << 0,
	PARITY = 1 << 2,
	ZERO = 1 << 6,
	SIGN = 1 << 7,
	OVERFLOW = 1 << 11,
};

bool sprof_displace_has_decoder(void)
{
	return true;
}

static bool decode(const uint8_t *code, size_t size, ZydisDecodedInstruction *ret)
{
	ZydisDecoder decoder;

	return ZYAN_SUCCESS(ZydisDecoderInit(
		       &decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) &&
		ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&decoder, NULL, code, size, ret));
}

bool sprof_displace_is_behind_call(const uint8_t before[SPROF_CALL_MAX])
{
	ZydisDecodedInstruction instruction;

	for (size_t size = 2; size <= SPROF_CALL_MAX; size++) {
		if (decode(before + SPROF_CALL_MAX - size, size, &instruction) &&
			instruction.length == size && instruction.mnemonic == ZYDIS_MNEMONIC_CALL)
			return true;
	}
	return false;
}

/* One byte 7x, or 0F 8x. */
static bool is_conditional(const ZydisDecodedInstruction *instruction)
{
	const uint8_t high = instruction->opcode & 0xf0;

	return (instruction->opcode_map == ZYDIS_OPCODE_MAP_DEFAULT && high == 0x70) ||
		(instruction->opcode_map == ZYDIS_OPCODE_MAP_0F && high == 0x80);
}

static enum sprof_displacement kind_of_relative(const ZydisDecodedInstruction *instruction)
{
	if (instruction->mnemonic == ZYDIS_MNEMONIC_CALL)
		return SPROF_DISPLACE_CALL;
	if (instruction->mnemonic == ZYDIS_MNEMONIC_JMP)
		return SPROF_DISPLACE_JUMP;
	return is_conditional(instruction) ? SPROF_DISPLACE_BRANCH : SPROF_DISPLACE_NEVER;
}

static void describe_relative(
	const ZydisDecodedInstruction *instruction, struct sprof_displaced *ret)
{
	ret->kind = kind_of_relative(instruction);
	ret->target = ret->next + (uint64_t)instruction->raw.imm[0].value.s;
	ret->condition = instruction->opcode & CONDITION;
}

/* mod 0 and rm 5 mean a distance from rip; a SIB byte would need rm 4. */
static bool refers_by_distance(const ZydisDecodedInstruction *instruction)
{
	return instruction->attributes & ZYDIS_ATTRIB_HAS_MODRM && !instruction->raw.modrm.mod &&
		instruction->raw.modrm.rm == 5 && instruction->raw.disp.size == 32;
}

/* An address that is cut to 32 bits can't be corrected. */
static bool depends_on_place(const ZydisDecodedInstruction *instruction)
{
	return instruction->mnemonic == ZYDIS_MNEMONIC_CALL ||
		(refers_by_distance(instruction) && instruction->address_width != 64);
}

void sprof_displace(const uint8_t *code, size_t size, uint64_t address, struct sprof_displaced *ret)
{
	ZydisDecodedInstruction instruction;

	*ret = (struct sprof_displaced){.kind = SPROF_DISPLACE_NEVER};
	if (!decode(code, size, &instruction) || instruction.length > SPROF_CODE_MAX)
		return;
	ret->size = instruction.length;
	ret->next = address + instruction.length;
	memcpy(ret->code, code, ret->size);
	if (instruction.raw.imm[0].is_relative) {
		describe_relative(&instruction, ret);
		return;
	}
	if (depends_on_place(&instruction))
		return;
	ret->kind = SPROF_DISPLACE_COPY;
	if (refers_by_distance(&instruction)) {
		ret->distance_at = instruction.raw.disp.offset;
		ret->refers_to = ret->next + (uint64_t)instruction.raw.disp.value;
	}
}

size_t sprof_displace_find_loops(const uint8_t *code, size_t size, uint32_t *ret, size_t most)
{
	ZydisDecodedInstruction instruction;
	size_t count = 0;

	for (size_t at = 0; at < size; at += instruction.length) {
		if (!decode(code + at, size - at, &instruction))
			return 0;
		if (at && count < most && instruction.raw.imm[0].is_relative &&
			instruction.mnemonic != ZYDIS_MNEMONIC_CALL &&
			(uint64_t)instruction.raw.imm[0].value.s + at + instruction.length == 0)
			ret[count++] = (uint32_t)at;
	}
	return count;
}

size_t sprof_displaced_write(
	const struct sprof_displaced *displaced, uint64_t slot, uint8_t ret[SPROF_DISPLACED_MAX])
{
	static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
	const size_t size = displaced->size;
	const int64_t distance = (int64_t)(displaced->refers_to - (slot + size));
	const int32_t written = (int32_t)distance;

	memcpy(ret, displaced->code, size);
	if (displaced->distance_at) {
		if (written != distance)
			return 0;
		memcpy(ret + displaced->distance_at, &written, sizeof(written));
	}
	memcpy(ret + size, jump, sizeof(jump));
	memcpy(ret + size + sizeof(jump), &displaced->next, sizeof(displaced->next));
	return size + JUMP_SIZE;
}

/* Intel's manual, volume 1, appendix B: the last bit of a condition negates it. */
bool sprof_displaced_is_taken(const struct sprof_displaced *displaced, uint64_t flags)
{
	const bool less = !(flags & SIGN) != !(flags & OVERFLOW);
	const bool holds[] = {
		flags & OVERFLOW,
		flags & CARRY,
		flags & ZERO,
		flags & (CARRY | ZERO),
		flags & SIGN,
		flags & PARITY,
		less,
		less || flags & ZERO,
	};

	return holds[displaced->condition >> 1] != (displaced->condition & 1);
}
