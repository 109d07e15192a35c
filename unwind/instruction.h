/*
 * What one machine instruction does to the registers and stack words that a stack walk needs, in a form that
 * doesn't depend on how it is encoded.
 */
#ifndef SPROF_UNWIND_INSTRUCTION_H
#define SPROF_UNWIND_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* General registers, by the number that instructions have for them. */
enum {
	SPROF_CODE_SP = 4,
	SPROF_CODE_FP = 5,
	SPROF_CODE_REGISTERS = 16,
	SPROF_CODE_MEMORY = 254, /* a comparison's; it doesn't matter which */
	SPROF_CODE_NO_REGISTER = 255,
};

/* Those that a call may change (x86-64 psABI, figure 3.4). */
enum { SPROF_CODE_SCRATCH = 0x0fc7 };

enum sprof_effect {
	SPROF_EFFECT_NONE,          /* none but for `changed` */
	SPROF_EFFECT_PADDING,       /* does nothing: what fills up the space between */
	SPROF_EFFECT_ADD,           /* to = from + value */
	SPROF_EFFECT_ADD_REGISTER,  /* to = to + from */
	SPROF_EFFECT_SUB_REGISTER,  /* to = to - from */
	SPROF_EFFECT_SET,           /* to = value */
	SPROF_EFFECT_ALIGN,         /* to = to & value, which clears low bits */
	SPROF_EFFECT_LOAD,          /* to = `size` bytes at from + index * scale + value */
	SPROF_EFFECT_STORE,         /* `size` bytes at to + value = from, which may be no register */
	SPROF_EFFECT_PUSH,          /* from, which may be no register */
	SPROF_EFFECT_POP,           /* to, the same */
	SPROF_EFFECT_ENTER,         /* pushes the frame pointer, sets it, and makes room for value bytes */
	SPROF_EFFECT_LEAVE,         /* sp = frame pointer, which is popped */
	SPROF_EFFECT_COMPARE,       /* to with from, or with value where from is no register */
	/* value: the address that is called, or of a word with that address; 0: not known. from: it keeps that register. */
	SPROF_EFFECT_CALL,
	SPROF_EFFECT_JUMP,          /* to the address `value` */
	SPROF_EFFECT_BRANCH,        /* the same, or on */
	SPROF_EFFECT_JUMP_REGISTER, /* to the address in from */
	SPROF_EFFECT_JUMP_MEMORY,   /* to the address at from + index * scale + value */
	SPROF_EFFECT_RETURN,
	SPROF_EFFECT_STOP,          /* nothing behind it is reached from here */
};

/* When a branch is taken; of unsigned comparisons. */
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
	uint16_t changed;  /* registers that have an unknown value then, one bit each */
	uint8_t length;    /* of the instruction, in bytes */
	uint8_t effect;    /* enum sprof_effect */
	uint8_t to, from, index;
	uint8_t scale, size;
	uint8_t condition; /* enum sprof_condition */
	bool sets_flags;   /* what was compared before is not what a branch behind it is about */
};

/* Whether this build has a decoder: without one nothing can be decoded. */
bool sprof_instruction_has_decoder(void);

/*
 * The instruction at the first of these bytes, which are at this link-time address. False: there is none, or it
 * is longer than `size`.
 */
bool sprof_instruction_decode(
	const uint8_t *code, size_t size, uint64_t address, struct sprof_instruction *ret);

#endif
