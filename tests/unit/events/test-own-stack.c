/*
 * events/functions/own-stack: which mapping is a thread's own stack.
 */
#include "events/functions/own-stack.h"

#include "tests/unit/check.h"

static const char maps[] = "400000-401000 r-xp 00000000 08:01 10 /bin/app\n"
			   "500000-510000 rw-p 00000000 00:00 0 [heap]\n"
			   "700000-710000 rw-p 00000000 00:00 0\n"
			   "7f0000-800000 rw-p 00000000 00:00 0 [stack]\n";

static void check(uint64_t thread_pointer, uint64_t sp, bool is_main, uint64_t low, uint64_t high)
{
	struct sprof_regs regs = {.thread_pointer = thread_pointer};
	struct sprof_own_stack stack;

	regs.values[SPROF_REG_SP] = sp;
	stack = sprof_own_stack_find(maps, &regs, is_main);
	assert_int_equal(stack.low, low);
	assert_int_equal(stack.high, high);
}

static void the_main_thread(void **state)
{
	check(0x708000, 0x7ff000, true, 0x710000, 0x800000);
	check(0x504000, 0x508000, true, 0x710000, 0x800000);
}

static void other_threads(void **state)
{
	check(0x708000, 0x707000, false, 0x700000, 0x708000);
	check(0x708000, 0x508000, false, 0x700000, 0x708000);
	check(0, 0x707000, false, 0, 0);
}

/* The only thread of a process, after a fork in another one. */
static void a_fork_of_another_thread(void **state)
{
	check(0x708000, 0x707000, true, 0x700000, 0x708000);
}

static void an_alternate_stack_is_another_one(void **state)
{
	const struct sprof_own_stack stack = {1000, 2000, {1400, 1500}};

	assert_true(sprof_own_stack_has(&stack, 1399));
	assert_false(sprof_own_stack_has(&stack, 1400));
	assert_true(sprof_own_stack_has(&stack, 1500));
	assert_false(sprof_own_stack_has(&stack, 2000));
}

TEST_MAIN("own-stack")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_main_thread),
		cmocka_unit_test(other_threads),
		cmocka_unit_test(a_fork_of_another_thread),
		cmocka_unit_test(an_alternate_stack_is_another_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
