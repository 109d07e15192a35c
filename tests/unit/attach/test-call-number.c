/*
 * attach/call-number: the system call by the code before the pc.
 */
#include "attach/calls/number.h"

#include <errno.h>

#include "tests/unit/check.h"

static struct sprof_regs regs_in_call(void)
{
	struct sprof_regs regs = {.system_call = -1};

#if defined(__x86_64__)
	regs.values[0] = (uint64_t)-ENOSYS;
#else
	regs.values[8] = 63;
#endif
	return regs;
}

#if defined(__x86_64__)
static int64_t number(const char *code, size_t size)
{
	const struct sprof_regs regs = regs_in_call();

	return sprof_call_number(&regs, (const uint8_t *)code, size);
}

#define NUMBER(code) number(code, sizeof(code) - 1)

static void a_constant_is_loaded(void **state)
{
	/* mov $0x101,%eax; syscall */
	assert_int_equal(NUMBER("\xb8\x01\x01\x00\x00\x0f\x05"), 257);
	/* mov $0xca,%eax; xor %r10d,%r10d; mov %r8d,%esi; syscall */
	assert_int_equal(NUMBER("\xb8\xca\x00\x00\x00\x45\x31\xd2\x44\x89\xc6\x0f\x05"), 202);
	/* mov $0x1,%rax; syscall: the load of a constant with another size is not looked for */
	assert_int_equal(NUMBER("\x48\xc7\xc0\x01\x00\x00\x00\x0f\x05"), SPROF_CALL_NUMBER_UNKNOWN);
}

static void zero_is_loaded_otherwise(void **state)
{
	/* xor %eax,%eax; syscall */
	assert_int_equal(NUMBER("\x31\xc0\x0f\x05"), 0);
	/* mov $0x14,%eax; xor %r8d,%r8d; syscall */
	assert_int_equal(NUMBER("\xb8\x14\x00\x00\x00\x45\x31\xc0\x0f\x05"), 20);
	/* mov $0x14,%eax; mov $0x1,%r8d; syscall */
	assert_int_equal(NUMBER("\xb8\x14\x00\x00\x00\x41\xb8\x01\x00\x00\x00\x0f\x05"), 20);
}

static void a_variable_is_not_known(void **state)
{
	/* mov %rdi,%rax; mov %rsi,%rdi; syscall */
	assert_int_equal(NUMBER("\x48\x89\xf8\x48\x89\xf7\x0f\x05"), SPROF_CALL_NUMBER_UNKNOWN);
	/* the call before had a constant */
	assert_int_equal(NUMBER("\xb8\x01\x00\x00\x00\x0f\x05\x48\x89\xf8\x0f\x05"),
		SPROF_CALL_NUMBER_UNKNOWN);
	/* a pointer is no number */
	assert_int_equal(NUMBER("\xb8\x01\x00\x40\x00\x0f\x05"), SPROF_CALL_NUMBER_UNKNOWN);
}

static void the_stack_has_it(void **state)
{
	/* mov 0x10(%rsp),%rax; mov %rcx,%r10; syscall */
	assert_int_equal(
		NUMBER("\x48\x8b\x44\x24\x10\x49\x89\xca\x0f\x05"), SPROF_CALL_NUMBER_AT_SP - 16);
	/* mov 0x18(%rbp),%rax; syscall */
	assert_int_equal(NUMBER("\x48\x8b\x45\x18\x0f\x05"), SPROF_CALL_NUMBER_AT_FP - 24);
	/* mov -0x8(%rbp),%rax; syscall: a variable of the function */
	assert_int_equal(NUMBER("\x48\x8b\x45\xf8\x0f\x05"), SPROF_CALL_NUMBER_UNKNOWN);
	/* mov 0x10(%rsp),%rax; mov $0x2,%eax; syscall */
	assert_int_equal(NUMBER("\x48\x8b\x44\x24\x10\xb8\x02\x00\x00\x00\x0f\x05"), 2);
	/* mov %rdi,%r11; mov %rsi,%rax; mov %rdx,%rdi; mov %rcx,%rsi; mov 0x8(%rsp),%r8; syscall */
	assert_int_equal(NUMBER("\x49\x89\xfb\x48\x89\xf0\x48\x89\xd7\x48\x89\xce"
				"\x4c\x8b\x44\x24\x08\x0f\x05"),
		SPROF_CALL_NUMBER_OF_CALLER);
	/* its end alone */
	assert_int_equal(NUMBER("\x24\x10\x0f\x05"), SPROF_CALL_NUMBER_UNKNOWN);
	assert_int_equal(NUMBER("\x48\x8b\x44\x24\x0f\x05"), SPROF_CALL_NUMBER_UNKNOWN);
}

static void other_code_is_in_no_call(void **state)
{
	/* mov %eax,(%rdi) may have a page fault */
	assert_int_equal(NUMBER("\xb8\x01\x00\x00\x00\x89\x07"), SPROF_CALL_NUMBER_NONE);
	assert_int_equal(NUMBER("\x05"), SPROF_CALL_NUMBER_NONE);
	assert_int_equal(NUMBER(""), SPROF_CALL_NUMBER_NONE);
	assert_int_equal(NUMBER("\x0f\x05"), SPROF_CALL_NUMBER_UNKNOWN);
}

static void the_entry_sets_the_result(void **state)
{
	struct sprof_regs regs = regs_in_call();

	assert_true(sprof_call_is_possible(&regs));
	regs.values[0] = 1;
	regs.values[SPROF_REG_PC] = 0x1000;
	assert_false(sprof_call_is_possible(&regs));
	regs.values[2] = 0x1000;
	assert_true(sprof_call_is_possible(&regs));
	assert_int_equal(sprof_call_number_again(&regs, 7), 7);
}
#else
static void the_register_has_it(void **state)
{
	static const uint8_t svc[] = {0x01, 0x00, 0x00, 0xd4}, nop[] = {0x1f, 0x20, 0x03, 0xd5};
	struct sprof_regs regs = regs_in_call();

	assert_true(sprof_call_is_possible(&regs));
	assert_int_equal(sprof_call_number(&regs, svc, sizeof(svc)), 63);
	assert_int_equal(sprof_call_number(&regs, nop, sizeof(nop)), SPROF_CALL_NUMBER_NONE);
	assert_int_equal(sprof_call_number(&regs, svc, 2), SPROF_CALL_NUMBER_NONE);
	regs.values[8] = 64;
	assert_int_equal(sprof_call_number_again(&regs, 63), 64);
	assert_int_equal(sprof_call_number_again(&regs, -1), -1);
}
#endif

TEST_MAIN("call-number")
{
	const struct CMUnitTest tests[] = {
#if defined(__x86_64__)
		cmocka_unit_test(a_constant_is_loaded),
		cmocka_unit_test(zero_is_loaded_otherwise),
		cmocka_unit_test(a_variable_is_not_known),
		cmocka_unit_test(the_stack_has_it),
		cmocka_unit_test(other_code_is_in_no_call),
		cmocka_unit_test(the_entry_sets_the_result),
#else
		cmocka_unit_test(the_register_has_it),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
