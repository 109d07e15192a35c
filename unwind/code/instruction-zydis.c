/*
 * Decodes x86-64 through Zydis. Models the instructions with which compilers and people move sp,
 * save registers and leave functions; for all others only which registers change. Does not handle
 * 32-bit code. A write to the 8- or 16-bit part of a register counts only as a change.
 */
#include "unwind/code/instruction.h"

#include <Zydis/Zydis.h>

enum { BITS = 8, WORD = 8 };

/* One instruction and its operands. */
struct decoded {
	ZydisDecoder decoder;
	ZydisDecoderContext context;
	ZydisDecodedInstruction instruction;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
	uint64_t address;
};

bool sprof_instruction_has_decoder(void)
{
	return true;
}

/* The register of any part of a general register; none for other classes and for high bytes. */
static uint8_t number_of(ZydisRegister reg)
{
	if (reg >= ZYDIS_REGISTER_RAX && reg <= ZYDIS_REGISTER_R15)
		return (uint8_t)(reg - ZYDIS_REGISTER_RAX);
	if (reg >= ZYDIS_REGISTER_EAX && reg <= ZYDIS_REGISTER_R15D)
		return (uint8_t)(reg - ZYDIS_REGISTER_EAX);
	if (reg >= ZYDIS_REGISTER_AX && reg <= ZYDIS_REGISTER_R15W)
		return (uint8_t)(reg - ZYDIS_REGISTER_AX);
	if (reg >= ZYDIS_REGISTER_AL && reg <= ZYDIS_REGISTER_BL)
		return (uint8_t)(reg - ZYDIS_REGISTER_AL);
	if (reg >= ZYDIS_REGISTER_AH && reg <= ZYDIS_REGISTER_BH)
		return (uint8_t)(reg - ZYDIS_REGISTER_AH);
	if (reg >= ZYDIS_REGISTER_SPL && reg <= ZYDIS_REGISTER_R15B)
		return (uint8_t)(reg - ZYDIS_REGISTER_SPL + SPROF_CODE_SP);
	return SPROF_CODE_NO_REGISTER;
}

static bool is_register(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_REGISTER &&
		number_of(operand->reg.value) != SPROF_CODE_NO_REGISTER;
}

static bool is_whole_register(const ZydisDecodedOperand *operand)
{
	return is_register(operand) && operand->size == WORD * BITS;
}

static bool is_immediate(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_IMMEDIATE;
}

static bool is_memory(const ZydisDecodedOperand *operand)
{
	return operand->type == ZYDIS_OPERAND_TYPE_MEMORY;
}

/* All registers that the instruction writes, also implicitly. */
static uint16_t changed_by(struct decoded *decoded)
{
	uint16_t changed = 0;

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(&decoded->decoder, &decoded->context,
		    &decoded->instruction, decoded->operands, decoded->instruction.operand_count)))
		return UINT16_MAX;
	for (unsigned i = 0; i < decoded->instruction.operand_count; i++) {
		const ZydisDecodedOperand *operand = &decoded->operands[i];

		if ((operand->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) && is_register(operand))
			changed |= (uint16_t)(1u << number_of(operand->reg.value));
	}
	return changed;
}

/* An address relative to the instruction's end is a constant without a base. */
static void take_address(const struct decoded *decoded, const ZydisDecodedOperand *operand,
	struct sprof_instruction *ret)
{
	ret->value = operand->mem.disp.value;
	ret->from = number_of(operand->mem.base);
	ret->index = number_of(operand->mem.index);
	ret->scale = operand->mem.scale;
	if (operand->mem.base == ZYDIS_REGISTER_RIP)
		ret->value += (int64_t)(decoded->address + decoded->instruction.length);
}

/* An address in another segment is not on the stack. */
static bool is_plain(const ZydisDecodedOperand *operand)
{
	return is_memory(operand) && operand->mem.segment != ZYDIS_REGISTER_FS &&
		operand->mem.segment != ZYDIS_REGISTER_GS;
}

static enum sprof_effect lea(const struct decoded *decoded, struct sprof_instruction *ret)
{
	take_address(decoded, &decoded->operands[1], ret);
	if (!is_whole_register(&decoded->operands[0]) || ret->index != SPROF_CODE_NO_REGISTER)
		return SPROF_EFFECT_NONE;
	return ret->from == SPROF_CODE_NO_REGISTER ? SPROF_EFFECT_SET : SPROF_EFFECT_ADD;
}

static enum sprof_effect load(const struct decoded *decoded, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *to = &decoded->operands[0];

	if (!is_whole_register(to) || !is_plain(&decoded->operands[1]))
		return SPROF_EFFECT_NONE;
	take_address(decoded, &decoded->operands[1], ret);
	ret->size = (uint8_t)(decoded->operands[1].size / BITS);
	return SPROF_EFFECT_LOAD;
}

/*
 * "lock orl $0, (%rsp)" is a memory barrier: it rewrites the same value, usually a saved register.
 */
static bool keeps_memory(const struct decoded *decoded)
{
	ZydisMnemonic mnemonic = decoded->instruction.mnemonic;

	return (mnemonic == ZYDIS_MNEMONIC_OR || mnemonic == ZYDIS_MNEMONIC_ADD ||
		       mnemonic == ZYDIS_MNEMONIC_SUB || mnemonic == ZYDIS_MNEMONIC_XOR) &&
		is_immediate(&decoded->operands[1]) && !decoded->operands[1].imm.value.u;
}

/* Only an address with a single register can be on the stack. Only a plain move has a known
 * value. */
static enum sprof_effect store(const struct decoded *decoded, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *to = &decoded->operands[0], *from = &decoded->operands[1];
	bool is_move =
		decoded->instruction.mnemonic == ZYDIS_MNEMONIC_MOV && is_whole_register(from);

	if (!is_plain(to) || keeps_memory(decoded))
		return SPROF_EFFECT_NONE;
	take_address(decoded, to, ret);
	if (ret->index != SPROF_CODE_NO_REGISTER)
		return SPROF_EFFECT_NONE;
	ret->to = ret->from;
	ret->from = is_move ? number_of(from->reg.value) : SPROF_CODE_NO_REGISTER;
	ret->size = (uint8_t)(to->size / BITS);
	return SPROF_EFFECT_STORE;
}

static enum sprof_effect move(const struct decoded *decoded, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *to = &decoded->operands[0], *from = &decoded->operands[1];

	if (is_memory(to))
		return store(decoded, ret);
	if (is_memory(from))
		return load(decoded, ret);
	if (is_register(to) && is_immediate(from) && to->size >= 32) {
		/* Writing the 32-bit part clears the upper bits. */
		ret->value =
			to->size == 32 ? (int64_t)(uint32_t)from->imm.value.u : from->imm.value.s;
		return SPROF_EFFECT_SET;
	}
	if (!is_whole_register(to) || !is_whole_register(from))
		return SPROF_EFFECT_NONE;
	ret->from = number_of(from->reg.value);
	ret->value = 0;
	return SPROF_EFFECT_ADD;
}

/* Handles add and sub; `sign` is -1 for sub. */
static enum sprof_effect add(const struct decoded *decoded, int sign, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *to = &decoded->operands[0], *by = &decoded->operands[1];

	if (is_memory(to))
		return store(decoded, ret);
	if (!is_whole_register(to))
		return SPROF_EFFECT_NONE;
	if (is_immediate(by)) {
		ret->from = ret->to;
		ret->value = sign * by->imm.value.s;
		return SPROF_EFFECT_ADD;
	}
	if (!is_whole_register(by))
		return SPROF_EFFECT_NONE;
	ret->from = number_of(by->reg.value);
	return sign < 0 ? SPROF_EFFECT_SUB_REGISTER : SPROF_EFFECT_ADD_REGISTER;
}

static enum sprof_effect align(const struct decoded *decoded, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *to = &decoded->operands[0], *mask = &decoded->operands[1];

	if (is_memory(to))
		return store(decoded, ret);
	if (!is_whole_register(to) || !is_immediate(mask) || mask->imm.value.s >= 0)
		return SPROF_EFFECT_NONE;
	ret->value = mask->imm.value.s;
	return SPROF_EFFECT_ALIGN;
}

/* A register with itself: the usual way to make zero. */
static enum sprof_effect zero(const struct decoded *decoded, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *to = &decoded->operands[0], *from = &decoded->operands[1];

	if (is_memory(to))
		return store(decoded, ret);
	if (!is_register(to) || !is_register(from) || to->reg.value != from->reg.value ||
		to->size < 32)
		return SPROF_EFFECT_NONE;
	ret->value = 0;
	return SPROF_EFFECT_SET;
}

static enum sprof_effect compare(const struct decoded *decoded, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *to = &decoded->operands[0], *with = &decoded->operands[1];

	if ((!is_register(to) && !is_memory(to)) || (!is_register(with) && !is_immediate(with)))
		return SPROF_EFFECT_NONE;
	if (is_memory(to))
		ret->to = SPROF_CODE_MEMORY;
	ret->from = is_register(with) ? number_of(with->reg.value) : SPROF_CODE_NO_REGISTER;
	ret->value = is_immediate(with) ? with->imm.value.s : 0;
	if (to->size < WORD * BITS)
		ret->value &= ((int64_t)1 << to->size) - 1;
	return SPROF_EFFECT_COMPARE;
}

/* The target of a jump or call is an immediate, in a register, or in memory. */
static enum sprof_effect jump(
	const struct decoded *decoded, enum sprof_effect direct, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *target = &decoded->operands[0];

	if (is_immediate(target)) {
		ret->value = (int64_t)(decoded->address + decoded->instruction.length +
			(uint64_t)target->imm.value.s);
		return direct;
	}
	if (direct == SPROF_EFFECT_CALL) {
		ret->value = 0;
		if (is_memory(target) && target->mem.base == ZYDIS_REGISTER_RIP)
			take_address(decoded, target, ret);
		return direct;
	}
	if (is_memory(target)) {
		take_address(decoded, target, ret);
		return SPROF_EFFECT_JUMP_MEMORY;
	}
	ret->from = number_of(target->reg.value);
	return SPROF_EFFECT_JUMP_REGISTER;
}

static enum sprof_effect push(const struct decoded *decoded, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *from = &decoded->operands[0];

	ret->size = (uint8_t)(decoded->instruction.operand_width / BITS);
	ret->from = is_whole_register(from) ? number_of(from->reg.value) : SPROF_CODE_NO_REGISTER;
	return SPROF_EFFECT_PUSH;
}

static enum sprof_effect pop(const struct decoded *decoded, struct sprof_instruction *ret)
{
	const ZydisDecodedOperand *to = &decoded->operands[0];

	ret->size = (uint8_t)(decoded->instruction.operand_width / BITS);
	ret->to = is_whole_register(to) ? number_of(to->reg.value) : SPROF_CODE_NO_REGISTER;
	return SPROF_EFFECT_POP;
}

static enum sprof_condition condition_of(ZydisMnemonic mnemonic)
{
	if (mnemonic == ZYDIS_MNEMONIC_JZ)
		return SPROF_IF_EQUAL;
	if (mnemonic == ZYDIS_MNEMONIC_JNZ)
		return SPROF_IF_NOT_EQUAL;
	if (mnemonic == ZYDIS_MNEMONIC_JNBE)
		return SPROF_IF_ABOVE;
	if (mnemonic == ZYDIS_MNEMONIC_JBE)
		return SPROF_IF_NOT_ABOVE;
	if (mnemonic == ZYDIS_MNEMONIC_JB)
		return SPROF_IF_BELOW;
	return mnemonic == ZYDIS_MNEMONIC_JNB ? SPROF_IF_NOT_BELOW : SPROF_IF_OTHER;
}

static enum sprof_effect effect_of(const struct decoded *decoded, struct sprof_instruction *ret)
{
	ZydisMnemonic mnemonic = decoded->instruction.mnemonic;

	if (!decoded->instruction.operand_count)
		return SPROF_EFFECT_NONE;
	if (is_register(&decoded->operands[0]))
		ret->to = number_of(decoded->operands[0].reg.value);
	if (mnemonic == ZYDIS_MNEMONIC_MOV)
		return move(decoded, ret);
	if (mnemonic == ZYDIS_MNEMONIC_MOVSXD)
		return is_memory(&decoded->operands[1]) ? load(decoded, ret) : SPROF_EFFECT_NONE;
	if (mnemonic == ZYDIS_MNEMONIC_LEA)
		return lea(decoded, ret);
	if (mnemonic == ZYDIS_MNEMONIC_ADD || mnemonic == ZYDIS_MNEMONIC_SUB)
		return add(decoded, mnemonic == ZYDIS_MNEMONIC_ADD ? 1 : -1, ret);
	if (mnemonic == ZYDIS_MNEMONIC_AND)
		return align(decoded, ret);
	if (mnemonic == ZYDIS_MNEMONIC_XOR)
		return zero(decoded, ret);
	if (mnemonic == ZYDIS_MNEMONIC_CMP)
		return compare(decoded, ret);
	if (mnemonic == ZYDIS_MNEMONIC_PUSH)
		return push(decoded, ret);
	if (mnemonic == ZYDIS_MNEMONIC_POP)
		return pop(decoded, ret);
	if (mnemonic == ZYDIS_MNEMONIC_PUSHFQ || mnemonic == ZYDIS_MNEMONIC_POPFQ) {
		ret->size = WORD;
		ret->to = ret->from = SPROF_CODE_NO_REGISTER;
		return mnemonic == ZYDIS_MNEMONIC_PUSHFQ ? SPROF_EFFECT_PUSH : SPROF_EFFECT_POP;
	}
	if (mnemonic == ZYDIS_MNEMONIC_ENTER && !decoded->operands[1].imm.value.u) {
		ret->value = decoded->operands[0].imm.value.s;
		return SPROF_EFFECT_ENTER;
	}
	/* Any other instruction with memory as its first operand may write it. */
	return decoded->instruction.operand_count_visible &&
			(decoded->operands[0].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
			is_plain(&decoded->operands[0]) &&
			decoded->instruction.operand_count_visible > 1
		? store(decoded, ret)
		: SPROF_EFFECT_NONE;
}

/* Jumps and calls. They have few operands; other changes are those of a call. */
static enum sprof_effect control_of(struct decoded *decoded, struct sprof_instruction *ret)
{
	ZydisMnemonic mnemonic = decoded->instruction.mnemonic;
	ZydisInstructionCategory category = decoded->instruction.meta.category;

	if (mnemonic == ZYDIS_MNEMONIC_LEAVE)
		return SPROF_EFFECT_LEAVE;
	if (mnemonic == ZYDIS_MNEMONIC_RET)
		return SPROF_EFFECT_RETURN;
	if (mnemonic == ZYDIS_MNEMONIC_HLT || mnemonic == ZYDIS_MNEMONIC_UD2 ||
		mnemonic == ZYDIS_MNEMONIC_INT3)
		return SPROF_EFFECT_STOP;
	ZydisDecoderDecodeOperands(&decoded->decoder, &decoded->context, &decoded->instruction,
		decoded->operands, decoded->instruction.operand_count_visible);
	if (category == ZYDIS_CATEGORY_CALL)
		return jump(decoded, SPROF_EFFECT_CALL, ret);
	if (category == ZYDIS_CATEGORY_UNCOND_BR)
		return jump(decoded, SPROF_EFFECT_JUMP, ret);
	ret->condition = (uint8_t)condition_of(mnemonic);
	return jump(decoded, SPROF_EFFECT_BRANCH, ret);
}

static bool is_control(const ZydisDecodedInstruction *instruction)
{
	ZydisInstructionCategory category = instruction->meta.category;
	ZydisMnemonic mnemonic = instruction->mnemonic;

	return category == ZYDIS_CATEGORY_CALL || category == ZYDIS_CATEGORY_COND_BR ||
		category == ZYDIS_CATEGORY_UNCOND_BR || mnemonic == ZYDIS_MNEMONIC_RET ||
		mnemonic == ZYDIS_MNEMONIC_LEAVE || mnemonic == ZYDIS_MNEMONIC_HLT ||
		mnemonic == ZYDIS_MNEMONIC_UD2 || mnemonic == ZYDIS_MNEMONIC_INT3;
}

/* Instructions that only read, or write only registers that no walk needs: most of a program. */
static bool is_harmless(const ZydisDecodedInstruction *instruction)
{
	return instruction->mnemonic == ZYDIS_MNEMONIC_TEST ||
		instruction->mnemonic == ZYDIS_MNEMONIC_NOP ||
		instruction->mnemonic == ZYDIS_MNEMONIC_ENDBR64;
}

static bool sets_flags(const ZydisDecodedInstruction *instruction)
{
	const ZydisAccessedFlags *flags = instruction->cpu_flags;

	return flags &&
		((flags->modified | flags->set_0 | flags->set_1 | flags->undefined) &
			(ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_ZF));
}

bool sprof_instruction_decode(
	const uint8_t *code, size_t size, uint64_t address, struct sprof_instruction *ret)
{
	struct decoded decoded;

	decoded.address = address;
	if (!ZYAN_SUCCESS(ZydisDecoderInit(
		    &decoded.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)) ||
		!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
			&decoded.decoder, &decoded.context, code, size, &decoded.instruction)))
		return false;
	*ret = (struct sprof_instruction){
		.length = decoded.instruction.length,
		.to = SPROF_CODE_NO_REGISTER,
		.from = SPROF_CODE_NO_REGISTER,
		.index = SPROF_CODE_NO_REGISTER,
		.sets_flags = sets_flags(&decoded.instruction),
	};
	if (is_control(&decoded.instruction)) {
		ret->effect = (uint8_t)control_of(&decoded, ret);
		return true;
	}
	if (decoded.instruction.mnemonic == ZYDIS_MNEMONIC_NOP)
		ret->effect = SPROF_EFFECT_PADDING;
	if (is_harmless(&decoded.instruction))
		return true;
	ret->changed = changed_by(&decoded);
	ret->effect = (uint8_t)effect_of(&decoded, ret);
	return true;
}
