/*
 * The effect of one machine instruction on the registers and stack words that matter for a stack
 * walk, independent of its encoding.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* General registers, by their numbers in instructions. */
enum {
	SPROF_CODE_SP = 4,
	SPROF_CODE_FP = 5,
	SPROF_CODE_REGISTERS = 16,
	SPROF_CODE_MEMORY = 254, /* an operand of a comparison: memory, at any address */
	SPROF_CODE_NO_REGISTER = 255,
};

/* Registers that a call may change (x86-64 psABI, figure 3.4). */
enum { SPROF_CODE_SCRATCH = 0x0fc7 };

enum sprof_effect {
	SPROF_EFFECT_NONE,         /* none except `changed` */
	SPROF_EFFECT_PADDING,      /* no effect: padding */
	SPROF_EFFECT_ADD,          /* to = from + value */
	SPROF_EFFECT_ADD_REGISTER, /* to = to + from */
	SPROF_EFFECT_SUB_REGISTER, /* to = to - from */
	SPROF_EFFECT_SET,          /* to = value */
	SPROF_EFFECT_ALIGN,        /* to = to & value, which clears low bits */
	SPROF_EFFECT_LOAD,         /* to = `size` bytes at from + index * scale + value */
	/* `size` bytes at to + value = from, which may be NONE */
	SPROF_EFFECT_STORE,
	SPROF_EFFECT_PUSH, /* from, or NONE */
	SPROF_EFFECT_POP,  /* to, or NONE */
	/* pushes the frame pointer, sets it, and makes room for value bytes */
	SPROF_EFFECT_ENTER,
	SPROF_EFFECT_LEAVE,   /* sp = frame pointer, then pops the frame pointer */
	SPROF_EFFECT_COMPARE, /* to with from, or with value if from is NONE */
	/* value: the address of the callee, or of a word with this address; 0: unknown. from: a
	 * register that it preserves. */
	SPROF_EFFECT_CALL,
	SPROF_EFFECT_JUMP,          /* to the address `value` */
	SPROF_EFFECT_BRANCH,        /* to `value`, or to the next instruction */
	SPROF_EFFECT_JUMP_REGISTER, /* to the address in from */
	SPROF_EFFECT_JUMP_MEMORY,   /* to the address at from + index * scale + value */
	SPROF_EFFECT_RETURN,
	SPROF_EFFECT_STOP, /* the next instruction is not reached from here */
};

/* Condition of a branch, for unsigned comparisons. */
enum sprof_condition {
	SPROF_IF_OTHER,
	SPROF_IF_EQUAL,
	SPROF_IF_NOT_EQUAL,
	SPROF_IF_ABOVE,
	SPROF_IF_NOT_ABOVE,
	SPROF_IF_BELOW,
	SPROF_IF_NOT_BELOW,
};

struct sprof_instruction {
	int64_t value;
	uint16_t changed; /* bit mask of registers with an unknown value afterwards */
	uint8_t length;   /* of the instruction, in bytes */
	uint8_t effect;   /* enum sprof_effect */
	uint8_t to, from, index;
	uint8_t scale, size;
	uint8_t condition; /* enum sprof_condition */
	bool sets_flags;   /* the last comparison no longer applies to later branches */
};

/* Whether this build has a decoder. */
bool sprof_instruction_has_decoder(void);

/*
 * Decodes the instruction at these bytes, at this link-time address. Returns false if it is
 * invalid, or longer than `size`.
 */
bool sprof_instruction_decode(
	const uint8_t *code, size_t size, uint64_t address, struct sprof_instruction *ret);
