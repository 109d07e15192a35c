/*
 * Reads a function's code from its first byte on and adds up the changes of sp. Decodes the sizes
 * of instructions and those that move sp (Intel SDM volume 2, appendix A). Reads in address order,
 * so a push in one block and its pop in another give a wrong sum: the caller must check the result.
 * Does not handle code that moves sp by a register, nor the prefixes and maps of APX.
 */
#include "elfsym/code/frame-distance.h"

#include <string.h>

#include "elfsym/code/call-decode.h"

enum { WORD = 8, SP = 4, LONGEST = 15, FRAME_SET_UP = 4 };

struct instruction {
	uint8_t map; /* of opcodes: 0, 1 (0F), 2 (0F 38), 3 (0F 3A) */
	uint8_t opcode, rex;
	bool is_short; /* has the prefix 66 */
	bool has_modrm;
	const uint8_t *modrm;
	size_t size;
};

/* One-byte opcodes that have a ModRM: rows of 16, bit n is column n. */
static const uint16_t modrm_of_one[16] = {0x0f0f, 0x0f0f, 0x0f0f, 0x0f0f, 0, 0, 0x0a08, 0, 0xffff,
	0, 0, 0, 0x00c3, 0xff0f, 0, 0xc0c0};
/* Opcodes after 0F without ModRM. */
static const uint16_t no_modrm_of_two[16] = {
	0x4be0, 0, 0, 0x00ff, 0, 0, 0, 0x0080, 0xffff, 0, 0x0707, 0, 0xff00, 0, 0, 0};

static bool has_bit(const uint16_t rows[16], uint8_t opcode)
{
	return rows[opcode >> 4] >> (opcode & 15) & 1;
}

static bool is_prefix(uint8_t byte)
{
	return byte == 0x66 || byte == 0x67 || byte == 0xf2 || byte == 0xf3 || byte == 0xf0 ||
		byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x26 ||
		(byte & 0xfe) == 0x64;
}

static size_t immediate_of_one(const struct instruction *one)
{
	uint8_t opcode = one->opcode;
	size_t word = one->is_short && !(one->rex & 8) ? 2 : 4;
	bool is_test = one->has_modrm && (one->modrm[0] >> 3 & 7) < 2;

	if (opcode < 0x40)
		return (opcode & 7) == 4 ? 1 : (opcode & 7) == 5 ? word : 0;
	if (opcode == 0x68 || opcode == 0x69 || opcode == 0x81 || opcode == 0xa9 || opcode == 0xc7)
		return word;
	if (opcode >= 0xb8 && opcode <= 0xbf)
		return one->rex & 8 ? 8 : word;
	if (opcode == 0xe8 || opcode == 0xe9)
		return 4;
	if ((opcode & 0xfc) == 0xa0)
		return 8;
	if (opcode == 0xf7)
		return is_test ? word : 0;
	if (opcode == 0xf6)
		return is_test;
	if (opcode == 0xc2 || opcode == 0xca)
		return 2;
	if (opcode == 0xc8)
		return 3;
	return opcode == 0x6a || opcode == 0x6b || opcode == 0x80 || opcode == 0x83 ||
		opcode == 0xa8 || opcode == 0xc0 || opcode == 0xc1 || opcode == 0xc6 ||
		opcode == 0xcd || opcode == 0xeb || (opcode & 0xf0) == 0x70 ||
		(opcode & 0xf8) == 0xb0 || (opcode & 0xf8) == 0xe0;
}

static size_t immediate_size(const struct instruction *one)
{
	uint8_t opcode = one->opcode;

	if (one->map == 0)
		return immediate_of_one(one);
	if (one->map == 3)
		return 1;
	if (one->map == 2)
		return 0;
	if ((opcode & 0xf0) == 0x80)
		return 4;
	return (opcode & 0xfc) == 0x70 || opcode == 0xa4 || opcode == 0xac || opcode == 0xba ||
		opcode == 0xc2 || (opcode >= 0xc4 && opcode <= 0xc6);
}

/* The prefixes of AVX imply a map. The opcodes are those of SSE and always have a ModRM. */
static size_t read_vex(const uint8_t *code, size_t size, struct instruction *ret)
{
	size_t prefix = code[0] == 0xc5 ? 2 : code[0] == 0xc4 ? 3 : 4;

	if (size <= prefix)
		return 0;
	ret->map = code[0] == 0xc5 ? 1 : code[1] & (code[0] == 0xc4 ? 31 : 7);
	ret->opcode = code[prefix];
	ret->has_modrm = !(ret->map == 1 && ret->opcode == 0x77);
	return ret->map >= 1 && ret->map <= 3 ? prefix + 1 : 0;
}

/* Reads prefixes and opcode; returns their size, or 0. */
static size_t read_opcode(const uint8_t *code, size_t size, struct instruction *ret)
{
	size_t at = 0;

	for (; at < size && is_prefix(code[at]); at++)
		ret->is_short |= code[at] == 0x66;
	if (at < size && (code[at] & 0xf0) == 0x40)
		ret->rex = code[at++];
	if (at >= size)
		return 0;
	if (code[at] == 0xc4 || code[at] == 0xc5 || code[at] == 0x62) {
		size_t vex = read_vex(code + at, size - at, ret);

		return vex ? at + vex : 0;
	}
	if (code[at] == 0x0f) {
		ret->map = 1;
		at++;
		if (at < size && (code[at] == 0x38 || code[at] == 0x3a))
			ret->map = code[at++] == 0x38 ? 2 : 3;
	}
	if (at >= size)
		return 0;
	ret->opcode = code[at];
	ret->has_modrm = ret->map == 0 ? has_bit(modrm_of_one, code[at])
		: ret->map == 1        ? !has_bit(no_modrm_of_two, code[at])
				       : true;
	return at + 1;
}

static bool read_instruction(const uint8_t *code, size_t size, struct instruction *ret)
{
	size_t at;

	*ret = (struct instruction){0};
	if (size > LONGEST)
		size = LONGEST;
	at = read_opcode(code, size, ret);
	if (!at || (ret->has_modrm && at >= size))
		return false;
	ret->modrm = code + at;
	if (ret->has_modrm)
		at += sprof_x86_operand_size(code + at, size - at);
	ret->size = at + immediate_size(ret);
	return ret->size <= size;
}

size_t sprof_instruction_size_x86_64(const uint8_t *code, size_t size)
{
	struct instruction one;

	return read_instruction(code, size, &one) ? one.size : 0;
}

/* The effect of one instruction on sp. */
enum move {
	MOVE_NONE,
	MOVE_BY,     /* by a constant */
	MOVE_FRAME,  /* the frame pointer becomes sp */
	MOVE_LEAVE,  /* back to the frame pointer, or to a constant distance from it */
	MOVE_BRANCH, /* the code after it is not reached from here */
	MOVE_UNKNOWN,
};

static int64_t immediate_at_end(const uint8_t *code, const struct instruction *one, size_t size)
{
	int32_t value;

	if (size == 1)
		return (int8_t)code[one->size - 1];
	memcpy(&value, code + one->size - sizeof(value), sizeof(value));
	return value;
}

/* The register in ModRM's reg field, or in r/m if that is a register; 16: memory. */
static unsigned reg_of(const struct instruction *one)
{
	return (one->modrm[0] >> 3 & 7) | (one->rex & 4 ? 8 : 0);
}

static unsigned rm_of(const struct instruction *one)
{
	return one->modrm[0] >> 6 == 3 ? (one->modrm[0] & 7) | (one->rex & 1 ? 8 : 0) : 16;
}

/* Arithmetic with a constant: handles add, sub and comparisons. */
static enum move constant_to_sp(const uint8_t *code, const struct instruction *one, int64_t *ret_by)
{
	unsigned operation = one->modrm[0] >> 3 & 7;

	if (rm_of(one) != SP || operation == 7)
		return MOVE_NONE;
	*ret_by = immediate_at_end(code, one, one->opcode == 0x83 ? 1 : 4);
	if (operation == 0)
		*ret_by = -*ret_by;
	return operation == 0 || operation == 5 ? MOVE_BY : MOVE_UNKNOWN;
}

/* mov, lea and arithmetic between registers; any of them may write sp. */
static enum move registers_to_sp(const struct instruction *one)
{
	enum { FP = 5, LEA = 0x8d, MOV_TO_RM = 0x89, MOV_TO_REG = 0x8b };
	uint8_t opcode = one->opcode;
	bool to_rm = opcode == MOV_TO_RM || (opcode < 0x38 && (opcode & 7) == 1);
	bool to_reg = opcode == MOV_TO_REG || opcode == LEA || opcode == 0x63 ||
		(opcode < 0x38 && (opcode & 7) == 3);

	if (opcode == MOV_TO_RM && rm_of(one) == FP && reg_of(one) == SP)
		return MOVE_FRAME;
	if (opcode == MOV_TO_REG && reg_of(one) == FP && rm_of(one) == SP)
		return MOVE_FRAME;
	if ((to_rm && rm_of(one) == SP && opcode == MOV_TO_RM && reg_of(one) == FP) ||
		(opcode == LEA && reg_of(one) == SP && one->modrm[0] >> 6 &&
			(one->modrm[0] & 7) == FP && !(one->rex & 1)))
		return MOVE_LEAVE;
	return (to_rm && rm_of(one) == SP) || (to_reg && reg_of(one) == SP) ? MOVE_UNKNOWN
									    : MOVE_NONE;
}

static enum move one_byte(const uint8_t *code, const struct instruction *one, int64_t *ret_by)
{
	uint8_t opcode = one->opcode;
	unsigned operation = one->has_modrm ? one->modrm[0] >> 3 & 7 : 0;

	*ret_by = (opcode & 0xf8) == 0x58 || opcode == 0x8f || opcode == 0x9d ? -WORD : WORD;
	if ((opcode & 0xf0) == 0x50 || opcode == 0x68 || opcode == 0x6a || opcode == 0x8f ||
		opcode == 0x9c || opcode == 0x9d || (opcode == 0xff && operation == 6))
		return MOVE_BY;
	if (opcode == 0x81 || opcode == 0x83)
		return constant_to_sp(code, one, ret_by);
	if (opcode == 0xc9)
		return MOVE_LEAVE;
	if (opcode == 0xc2 || opcode == 0xc3 || opcode == 0xe9 || opcode == 0xeb ||
		(opcode == 0xff && operation == 4))
		return MOVE_BRANCH;
	return one->has_modrm ? registers_to_sp(one) : MOVE_NONE;
}

/* The sum so far. */
struct sum {
	bool has_frame;          /* the frame pointer is set */
	bool has_body;           /* the prologue has ended */
	int64_t prologue, block; /* bytes below the frame pointer: prologue, and since then */
};

static bool add(struct sum *sum, enum move move, int64_t by, bool ends_prologue)
{
	/* A second one begins another function, or another path through this one. */
	if (move == MOVE_FRAME) {
		*sum = (struct sum){.has_frame = true};
		return true;
	}
	if (!sum->has_frame)
		return true;
	if (move == MOVE_UNKNOWN)
		return false;
	if (move == MOVE_BY && !sum->has_body)
		sum->prologue += by;
	else if (move == MOVE_BY)
		sum->block += by;
	if (move == MOVE_BRANCH)
		sum->block = 0;
	sum->has_body |= ends_prologue || move == MOVE_BRANCH || move == MOVE_LEAVE;
	return true;
}

/* The prologue ends before the first call or condition. */
static bool is_conditional(const struct instruction *one)
{
	uint8_t opcode = one->opcode;

	if (one->map)
		return one->map == 1 && (opcode & 0xf0) == 0x80;
	return opcode == 0xe8 || (opcode & 0xf0) == 0x70 ||
		(opcode == 0xff && (one->modrm[0] >> 3 & 7) == 2);
}

/* push %rbp; mov %rsp, %rbp, in both of its forms (Intel SDM volume 2, MOV). */
static bool sets_up_frame(const uint8_t *code)
{
	static const uint8_t forms[][FRAME_SET_UP] = {
		{0x55, 0x48, 0x89, 0xe5}, {0x55, 0x48, 0x8b, 0xec}};

	return !memcmp(code, forms[0], FRAME_SET_UP) || !memcmp(code, forms[1], FRAME_SET_UP);
}

/*
 * push of a register, sub of a constant from sp, endbr64: what no block in the midst of a function
 * begins with.
 */
static bool begins_function(const uint8_t *code, const struct instruction *one)
{
	static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
	int64_t by = 0;

	if (one->map)
		return one->size == sizeof(endbr64) && !memcmp(code, endbr64, sizeof(endbr64));
	if (one->opcode == 0x81 || one->opcode == 0x83)
		return constant_to_sp(code, one, &by) == MOVE_BY && by > 0;
	return one->opcode >= 0x50 && one->opcode <= 0x57;
}

static bool is_nop(const struct instruction *one)
{
	return one->map ? one->map == 1 && one->opcode == 0x1f : one->opcode == 0x90;
}

/* Whether padding, or another function's first instruction, follows an exit. */
static bool has_other_function(const uint8_t *code, size_t size)
{
	enum { INT3 = 0xcc };
	struct instruction one;
	bool is_reached = true;
	int64_t by;

	for (size_t at = 0; at < size; at += one.size) {
		if (!read_instruction(code + at, size - at, &one) ||
			(!one.map && one.opcode == INT3) ||
			(!is_reached && begins_function(code + at, &one)))
			return true;
		if (is_reached || !is_nop(&one))
			is_reached = one.map || one_byte(code + at, &one, &by) != MOVE_BRANCH;
	}
	return false;
}

bool sprof_frame_distance_behind_x86_64(const uint8_t *code, size_t size, uint64_t *ret_bytes)
{
	for (size_t i = FRAME_SET_UP; i <= size; i++) {
		const uint8_t *last = code + size - i;

		if (sets_up_frame(last))
			return !has_other_function(last, i) &&
				sprof_frame_distance_x86_64(last, i, ret_bytes);
	}
	return false;
}

bool sprof_frame_distance_x86_64(const uint8_t *code, size_t size, uint64_t *ret_bytes)
{
	struct instruction one;
	struct sum sum = {0};

	for (size_t at = 0; at < size; at += one.size) {
		int64_t by = 0;
		enum move move;

		if (!read_instruction(code + at, size - at, &one))
			return false;
		move = one.map ? MOVE_NONE : one_byte(code + at, &one, &by);
		if (!add(&sum, move, by, is_conditional(&one)))
			return false;
	}
	if (!sum.has_frame || sum.prologue + sum.block < 0)
		return false;
	*ret_bytes = (uint64_t)(sum.prologue + sum.block);
	return true;
}
