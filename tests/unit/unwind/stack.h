/*
 * What the tests of unwind/step share: a stack that is an array, rules, and places to step from.
 */
#pragma once

#include "elfsym/cfi/cfi.h"
#include "tests/unit/check.h"
#include "unwind/step.h"

enum { BASE = 0x10000, WORD = 8, WORDS = 128 };

#define ADDRESS(index) (BASE + (uint64_t)(index)*WORD)

/* Every word of the stack holds a number that tells its index. */
struct stack {
	uint64_t words[WORDS];
	struct sprof_snapshot snapshot;
};

#define VALUE(index) (0x700000 + (uint64_t)(index))

static inline void stack_init(struct stack *stack)
{
	for (int i = 0; i < WORDS; i++)
		stack->words[i] = VALUE(i);
	stack->snapshot = (struct sprof_snapshot){
		.stack.base = BASE,
		.stack.floor = BASE,
		.stack.size = sizeof(stack->words),
		.stack.bytes = (const uint8_t *)stack->words,
	};
}

static inline struct sprof_rule rule(enum sprof_cfa_rule cfa, int32_t cfa_offset)
{
	return (struct sprof_rule){
		.cfa = (uint8_t)cfa,
		.cfa_offset = cfa_offset,
		.ra_offset = -8,
		.regs = SPROF_REG_SAVED | SPROF_REG_SAME << SPROF_RULE_FP_SHIFT,
	};
}

static inline struct sprof_rule with_fp(
	struct sprof_rule rule, enum sprof_reg_rule fp, int32_t offset)
{
	rule.regs =
		(uint8_t)((rule.regs & SPROF_RULE_RA_MASK) | (unsigned)fp << SPROF_RULE_FP_SHIFT);
	rule.fp_offset = offset;
	return rule;
}

static inline struct sprof_rule with_ra(struct sprof_rule rule, enum sprof_reg_rule ra, int offset)
{
	rule.regs = (uint8_t)((rule.regs & ~SPROF_RULE_RA_MASK) | (unsigned)ra);
	rule.ra_offset = (int16_t)offset;
	return rule;
}

/* In the middle of a walk: sp at the 16th word, fp at the 32nd. */
static inline struct sprof_cursor middle(void)
{
	return (struct sprof_cursor){.pc = 0x400000,
		.sp = ADDRESS(16),
		.fp = ADDRESS(32),
		.fp_known = true,
		.is_return = true};
}

static inline struct sprof_cursor leaf(void)
{
	struct sprof_cursor cursor = middle();

	cursor.is_return = false;
	cursor.innermost = true;
	return cursor;
}

/* A step that fails must not have touched the cursor. */
static inline void expect_failure(const struct stack *stack, const struct sprof_rule *rule,
	struct sprof_cursor cursor, enum sprof_step expected)
{
	struct sprof_cursor before = cursor;

	assert_int_equal(sprof_step(&stack->snapshot, rule, &cursor), expected);
	assert_memory_equal(&cursor, &before, sizeof(cursor));
}

static inline struct sprof_cursor step_from(
	const struct stack *stack, const struct sprof_rule *rule, struct sprof_cursor cursor)
{
	assert_int_equal(sprof_step(&stack->snapshot, rule, &cursor), SPROF_STEP_OK);
	assert_false(cursor.innermost);
	assert_true(cursor.is_return);
	assert_false(cursor.lr_known);
	return cursor;
}
