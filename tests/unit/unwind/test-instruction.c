/*
 * unwind/instruction: the effect of each form that moves sp, saves registers or leaves a function, and which
 * registers others change. A build without a decoder decodes nothing.
 */
#include "unwind/code/instruction.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

enum {
	ADDRESS = 0x401000,
	AX = 0,
	CX,
	DX,
	BX,
	SP,
	FP,
	SI,
	DI,
	R8,
	R10 = 10,
	R11,
	R12,
	NO = SPROF_CODE_NO_REGISTER
};

#define BYTES(literal) literal, sizeof(literal) - 1
#define REGISTERS(one, other) ((uint16_t)(1u << (one) | 1u << (other)))

/* In memory of exactly that size. */
static struct sprof_instruction decode(const char *bytes, size_t size)
{
	struct sprof_instruction one;
	uint8_t *exact = malloc(size);

	assert_non_null(exact);
	memcpy(exact, bytes, size);
	memset(&one, 0xff, sizeof(one));
	assert_true(sprof_instruction_decode(exact, size, ADDRESS, &one));
	assert_int_equal(one.length, size);
	free(exact);
	return one;
}

static void expect_effect(const char *bytes, size_t size, enum sprof_effect effect)
{
	assert_int_equal(decode(bytes, size).effect, effect);
}

static void expect_add(const char *bytes, size_t size, unsigned to, unsigned from, int64_t value)
{
	struct sprof_instruction one = decode(bytes, size);

	assert_int_equal(one.effect, SPROF_EFFECT_ADD);
	assert_int_equal(one.to, to);
	assert_int_equal(one.from, from);
	assert_int_equal(one.value, value);
	assert_int_equal(one.changed, 1u << to);
}

static void additions(void **state)
{
	expect_add(BYTES("\x48\x83\xec\x18"), SP, SP, -0x18); /* sub $0x18, %rsp */
	expect_add(BYTES("\x48\x83\xc4\x80"), SP, SP, -0x80); /* add $-0x80, %rsp */
	/* sub $0x12340, %rsp */
	expect_add(BYTES("\x48\x81\xec\x40\x23\x01\x00"), SP, SP, -0x12340);
	expect_add(BYTES("\x48\x8d\x64\x24\x08"), SP, SP, 8);  /* lea 8(%rsp), %rsp */
	expect_add(BYTES("\x4c\x8d\x54\x24\x08"), R10, SP, 8); /* lea 8(%rsp), %r10 */
	expect_add(BYTES("\x48\x8d\x65\xf0"), SP, FP, -16);    /* lea -16(%rbp), %rsp */
	expect_add(BYTES("\x48\x89\xe5"), FP, SP, 0);          /* mov %rsp, %rbp */
	expect_add(BYTES("\x48\x8b\xec"), FP, SP, 0);          /* the other form */
	expect_add(BYTES("\x49\x89\xe4"), R12, SP, 0);         /* mov %rsp, %r12 */
}

static void expect_change(const char *bytes, size_t size, uint16_t changed)
{
	struct sprof_instruction one = decode(bytes, size);

	assert_int_equal(one.effect, SPROF_EFFECT_NONE);
	assert_int_equal(one.changed, changed);
}

static void changes(void **state)
{
	expect_change(BYTES("\x48\xf7\xdc"), 1u << SP);          /* neg %rsp */
	expect_change(BYTES("\x48\x8d\x24\x04"), 1u << SP);      /* lea (%rsp,%rax), %rsp */
	expect_change(BYTES("\x83\xec\x08"), 1u << SP);          /* sub $8, %esp */
	expect_change(BYTES("\x89\xe5"), 1u << FP);              /* mov %esp, %ebp */
	expect_change(BYTES("\x40\xb5\x01"), 1u << FP);          /* mov $1, %bpl */
	expect_change(BYTES("\xb4\x01"), 1u << AX);              /* mov $1, %ah */
	expect_change(BYTES("\x48\xf7\xe1"), REGISTERS(AX, DX)); /* mul %rcx */
	expect_change(BYTES("\x48\x87\xd9"), REGISTERS(BX, CX)); /* xchg %rbx, %rcx */
	expect_change(BYTES("\x49\x0f\x44\xea"), 1u << FP);      /* cmove %r10, %rbp */
	/* mov %fs:40, %rax */
	expect_change(BYTES("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"), 1u << AX);
	expect_change(BYTES("\x85\xff"), 0);                     /* test %edi, %edi */
	expect_change(BYTES("\xf3\x0f\x1e\xfa"), 0);             /* endbr64 */
	expect_change(BYTES("\x0f\x28\xc1"), 0);                 /* movaps %xmm1, %xmm0 */
	expect_change(BYTES("\xf3\x48\xab"), REGISTERS(CX, DI)); /* rep stos %rax, (%rdi) */
}

static void constants(void **state)
{
	struct sprof_instruction one = decode(BYTES("\x31\xed")); /* xor %ebp, %ebp */

	assert_int_equal(one.effect, SPROF_EFFECT_SET);
	assert_int_equal(one.to, FP);
	assert_int_equal(one.value, 0);
	one = decode(BYTES("\xb8\x38\x00\x00\x00")); /* mov $56, %eax */
	assert_int_equal(one.effect, SPROF_EFFECT_SET);
	assert_int_equal(one.value, 56);
	one = decode(BYTES("\x48\x8d\x15\x10\x00\x00\x00")); /* lea 16(%rip), %rdx */
	assert_int_equal(one.effect, SPROF_EFFECT_SET);
	assert_int_equal(one.to, DX);
	assert_int_equal(one.value, ADDRESS + 7 + 16);
	expect_change(BYTES("\x31\xc5"), 1u << FP); /* xor %eax, %ebp */
	one = decode(BYTES("\x48\x83\xe4\xe0"));    /* and $-32, %rsp */
	assert_int_equal(one.effect, SPROF_EFFECT_ALIGN);
	assert_int_equal(one.value, -32);
	expect_change(BYTES("\x48\x83\xe4\x0f"), 1u << SP); /* and $15, %rsp */
}

static void expect_move(const char *bytes, size_t size, const struct sprof_instruction *expected)
{
	struct sprof_instruction one = decode(bytes, size);

	assert_int_equal(one.effect, expected->effect);
	assert_int_equal(one.to, expected->to);
	assert_int_equal(one.from, expected->from);
	assert_int_equal(one.value, expected->value);
	assert_int_equal(one.size, expected->size);
	if (one.effect == SPROF_EFFECT_LOAD) {
		assert_int_equal(one.index, expected->index);
		assert_int_equal(one.scale, expected->scale);
	}
}

static void words_of_memory(void **state)
{
	static const struct sprof_instruction saved = {
		.effect = SPROF_EFFECT_STORE, .to = SP, .from = FP, .value = 8, .size = 8};
	static const struct sprof_instruction number = {
		.effect = SPROF_EFFECT_STORE, .to = SP, .from = NO, .value = 8, .size = 4};
	static const struct sprof_instruction vector = {
		.effect = SPROF_EFFECT_STORE, .to = SP, .from = NO, .size = 16};
	static const struct sprof_instruction loaded = {.effect = SPROF_EFFECT_LOAD,
		.to = FP,
		.from = SP,
		.index = NO,
		.value = 8,
		.size = 8};
	static const struct sprof_instruction entry = {.effect = SPROF_EFFECT_LOAD,
		.to = AX,
		.from = DX,
		.index = DI,
		.scale = 4,
		.size = 4};
	static const struct sprof_instruction address = {.effect = SPROF_EFFECT_LOAD,
		.to = AX,
		.from = NO,
		.index = DI,
		.scale = 8,
		.size = 8,
		.value = 0x401234};
	static const struct sprof_instruction added = {
		.effect = SPROF_EFFECT_STORE, .to = FP, .from = NO, .value = -8, .size = 8};

	expect_move(BYTES("\x48\x89\x6c\x24\x08"), &saved);              /* mov %rbp, 8(%rsp) */
	expect_move(BYTES("\xc7\x44\x24\x08\x00\x00\x00\x00"), &number); /* movl $0, 8(%rsp) */
	/* movaps %xmm0, (%rsp) */
	expect_move(BYTES("\x0f\x29\x04\x24"), &vector);
	expect_move(BYTES("\x48\x8b\x6c\x24\x08"), &loaded); /* mov 8(%rsp), %rbp */
	/* movslq (%rdx,%rdi,4), %rax */
	expect_move(BYTES("\x48\x63\x04\xba"), &entry);
	/* mov 0x401234(,%rdi,8), %rax */
	expect_move(BYTES("\x48\x8b\x04\xfd\x34\x12\x40\x00"), &address);
	expect_move(BYTES("\x48\x01\x45\xf8"), &added); /* add %rax, -8(%rbp) */
	/* mov %rax, (%rsp,%rcx,8) */
	expect_effect(BYTES("\x48\x89\x04\xcc"), SPROF_EFFECT_NONE);
	/* mov %rbp, %fs:8 */
	expect_effect(BYTES("\x64\x48\x89\x2c\x25\x08\x00\x00\x00"), SPROF_EFFECT_NONE);
}

static void expect_stack(
	const char *bytes, size_t size, enum sprof_effect effect, unsigned reg, unsigned width)
{
	struct sprof_instruction one = decode(bytes, size);

	assert_int_equal(one.effect, effect);
	assert_int_equal(effect == SPROF_EFFECT_PUSH ? one.from : one.to, reg);
	assert_int_equal(one.size, width);
}

static void pushes_and_pops(void **state)
{
	struct sprof_instruction one;

	expect_stack(BYTES("\x55"), SPROF_EFFECT_PUSH, FP, 8);             /* push %rbp */
	expect_stack(BYTES("\x41\x54"), SPROF_EFFECT_PUSH, R12, 8);        /* push %r12 */
	expect_stack(BYTES("\x41\xff\x72\xf8"), SPROF_EFFECT_PUSH, NO, 8); /* push -8(%r10) */
	expect_stack(BYTES("\x6a\x01"), SPROF_EFFECT_PUSH, NO, 8);         /* push $1 */
	expect_stack(BYTES("\x66\x6a\x01"), SPROF_EFFECT_PUSH, NO, 2);     /* pushw $1 */
	expect_stack(BYTES("\x66\x55"), SPROF_EFFECT_PUSH, NO, 2);         /* push %bp */
	expect_stack(BYTES("\x9c"), SPROF_EFFECT_PUSH, NO, 8);             /* pushf */
	expect_stack(BYTES("\x5d"), SPROF_EFFECT_POP, FP, 8);              /* pop %rbp */
	expect_stack(BYTES("\x8f\x45\x00"), SPROF_EFFECT_POP, NO, 8);      /* pop 0(%rbp) */
	expect_stack(BYTES("\x9d"), SPROF_EFFECT_POP, NO, 8);              /* popf */
	one = decode(BYTES("\xc8\x20\x00\x00"));                           /* enter $32, $0 */
	assert_int_equal(one.effect, SPROF_EFFECT_ENTER);
	assert_int_equal(one.value, 32);
	/* Of a nested function: it pushes more. */
	one = decode(BYTES("\xc8\x20\x00\x01")); /* enter $32, $1 */
	assert_int_not_equal(one.effect, SPROF_EFFECT_ENTER);
	assert_int_equal(one.changed & REGISTERS(SP, FP), REGISTERS(SP, FP));
	expect_effect(BYTES("\xc9"), SPROF_EFFECT_LEAVE);
}

static void expect_target(const char *bytes, size_t size, enum sprof_effect effect, int64_t target)
{
	struct sprof_instruction one = decode(bytes, size);

	assert_int_equal(one.effect, effect);
	assert_int_equal(one.value, target);
}

static void jumps(void **state)
{
	struct sprof_instruction one;

	expect_target(BYTES("\xe8\x10\x00\x00\x00"), SPROF_EFFECT_CALL, ADDRESS + 5 + 16);
	expect_target(BYTES("\xff\xd0"), SPROF_EFFECT_CALL, 0); /* call *%rax */
	/* call *16(%rip) */
	expect_target(BYTES("\xff\x15\x10\x00\x00\x00"), SPROF_EFFECT_CALL, ADDRESS + 6 + 16);
	expect_target(BYTES("\xe9\xf0\xff\xff\xff"), SPROF_EFFECT_JUMP, ADDRESS + 5 - 16);
	expect_target(BYTES("\xeb\xfe"), SPROF_EFFECT_JUMP, ADDRESS);
	expect_target(BYTES("\x74\x10"), SPROF_EFFECT_BRANCH, ADDRESS + 2 + 16);
	expect_target(BYTES("\x0f\x84\x10\x00\x00\x00"), SPROF_EFFECT_BRANCH, ADDRESS + 6 + 16);
	expect_target(BYTES("\xe3\x10"), SPROF_EFFECT_BRANCH, ADDRESS + 2 + 16); /* jrcxz */
	/* notrack jmp *%rax */
	one = decode(BYTES("\x3e\xff\xe0"));
	assert_int_equal(one.effect, SPROF_EFFECT_JUMP_REGISTER);
	assert_int_equal(one.from, AX);
	/* jmp *0x401234(,%rdi,8) */
	one = decode(BYTES("\xff\x24\xfd\x34\x12\x40\x00"));
	assert_int_equal(one.effect, SPROF_EFFECT_JUMP_MEMORY);
	assert_int_equal(one.value, 0x401234);
	assert_int_equal(one.from, NO);
	assert_int_equal(one.index, DI);
	assert_int_equal(one.scale, 8);
}

static void ends(void **state)
{
	expect_effect(BYTES("\xc3"), SPROF_EFFECT_RETURN);
	expect_effect(BYTES("\xf3\xc3"), SPROF_EFFECT_RETURN);
	expect_effect(BYTES("\xc2\x08\x00"), SPROF_EFFECT_RETURN);
	expect_effect(BYTES("\xf4"), SPROF_EFFECT_STOP);
	expect_effect(BYTES("\x0f\x0b"), SPROF_EFFECT_STOP);
	expect_effect(BYTES("\xcc"), SPROF_EFFECT_STOP);
	expect_effect(BYTES("\x90"), SPROF_EFFECT_PADDING);
	expect_effect(BYTES("\x66\x90"), SPROF_EFFECT_PADDING);
	expect_effect(BYTES("\x0f\x1f\x44\x00\x00"), SPROF_EFFECT_PADDING);
	expect_effect(BYTES("\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00"), SPROF_EFFECT_PADDING);
	expect_effect(BYTES("\x0f\x05"), SPROF_EFFECT_NONE); /* syscall */
}

static void expect_comparison(
	const char *bytes, size_t size, unsigned to, unsigned from, int64_t value)
{
	struct sprof_instruction one = decode(bytes, size);

	assert_int_equal(one.effect, SPROF_EFFECT_COMPARE);
	assert_int_equal(one.to, to);
	assert_int_equal(one.from, from);
	assert_int_equal(one.value, value);
	assert_int_equal(one.changed, 0);
}

static void comparisons(void **state)
{
	static const struct {
		uint8_t code;
		enum sprof_condition condition;
	} conditions[] = {{0x72, SPROF_IF_BELOW}, {0x73, SPROF_IF_NOT_BELOW},
		{0x74, SPROF_IF_EQUAL}, {0x75, SPROF_IF_NOT_EQUAL}, {0x76, SPROF_IF_NOT_ABOVE},
		{0x77, SPROF_IF_ABOVE}, {0x7c, SPROF_IF_OTHER}, {0x7f, SPROF_IF_OTHER},
		{0x70, SPROF_IF_OTHER}};

	/* cmp $5, %edi */
	expect_comparison(BYTES("\x83\xff\x05"), DI, NO, 5);
	/* cmp $0xf0, %dil */
	expect_comparison(BYTES("\x40\x80\xff\xf0"), DI, NO, 0xf0);
	/* cmp $-1, %edi */
	expect_comparison(BYTES("\x83\xff\xff"), DI, NO, 0xffffffff);
	/* cmpl $5, (%rdi) */
	expect_comparison(BYTES("\x83\x3f\x05"), SPROF_CODE_MEMORY, NO, 5);
	/* cmpb $5, 8(%rdi) */
	expect_comparison(BYTES("\x80\x7f\x08\x05"), SPROF_CODE_MEMORY, NO, 5);
	/* cmp %r11, %rsp */
	expect_comparison(BYTES("\x4c\x39\xdc"), SP, R11, 0);
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		const char branch[] = {(char)conditions[i].code, 0};

		assert_int_equal(decode(branch, sizeof(branch)).condition, conditions[i].condition);
	}
}

/* Cut off anywhere there is no instruction, nor is what the manual has none for. */
static void no_instruction(void **state)
{
	static const uint8_t longest[] = {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0};
	struct sprof_instruction one;

	for (size_t size = 0; size < sizeof(longest); size++) {
		uint8_t *exact = malloc(size + !size);

		assert_non_null(exact);
		memcpy(exact, longest, size);
		assert_false(sprof_instruction_decode(exact, size, ADDRESS, &one));
		free(exact);
	}
	assert_false(sprof_instruction_decode((const uint8_t *)"\x06", 1, ADDRESS, &one));
	/* Sixteen bytes are one too many. */
	assert_false(sprof_instruction_decode(
		(const uint8_t *)"\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90",
		16, ADDRESS, &one));
}

static void without_a_decoder(void **state)
{
	struct sprof_instruction one;

	assert_false(sprof_instruction_decode((const uint8_t *)"\xc3", 1, ADDRESS, &one));
}

TEST_MAIN("instruction")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(additions),
		cmocka_unit_test(changes),
		cmocka_unit_test(constants),
		cmocka_unit_test(words_of_memory),
		cmocka_unit_test(pushes_and_pops),
		cmocka_unit_test(jumps),
		cmocka_unit_test(ends),
		cmocka_unit_test(comparisons),
		cmocka_unit_test(no_instruction),
	};
	const struct CMUnitTest no_tests[] = {cmocka_unit_test(without_a_decoder)};

	return sprof_instruction_has_decoder() ? cmocka_run_group_tests(tests, NULL, NULL)
					       : cmocka_run_group_tests(no_tests, NULL, NULL);
}
