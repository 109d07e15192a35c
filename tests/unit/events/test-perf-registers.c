/*
 * events/perf-registers: the ends of samples as the kernel writes them, and damaged ones.
 */
#include "events/perf/registers.h"

#include <asm/perf_regs.h>

#include "tests/unit/check.h"
#include "tests/unit/events/records.h"

enum { STACK = 24 };

/* Each register's value is the kernel's number of it, and 1000. */
static void add_registers(struct made *made)
{
	struct perf_event_attr asked = {0};

	sprof_perf_ask_registers(&asked);
	made_add_64(made, PERF_SAMPLE_REGS_ABI_64);
	for (uint64_t i = 0; i < 64; i++) {
		if (asked.sample_regs_user >> i & 1)
			made_add_64(made, 1000 + i);
	}
}

static void add_stack(struct made *made, uint64_t read)
{
	made_add_64(made, STACK);
	for (uint64_t i = 0; i < STACK / 8; i++)
		made_add_64(made, i);
	made_add_64(made, read);
}

static struct sprof_perf_record record_of(const struct made *made, size_t size)
{
	return (struct sprof_perf_record){.rest = made->bytes, .rest_size = size};
}

static void registers_get_their_dwarf_numbers(void **state)
{
	struct made made = {.size = 0};
	struct sprof_perf_record record;
	struct sprof_perf_user user;

	add_registers(&made);
	record = record_of(&made, made.size);
	assert_true(sprof_perf_user_read(&record, false, &user));
	for (unsigned i = 0; i < SPROF_REG_COUNT; i++)
		assert_true(sprof_regs_has(&user.regs, i));
#if defined(__x86_64__)
	assert_int_equal(user.regs.values[SPROF_REG_PC], 1000 + PERF_REG_X86_IP);
	assert_int_equal(user.regs.values[SPROF_REG_SP], 1000 + PERF_REG_X86_SP);
	assert_int_equal(user.regs.values[SPROF_REG_FP], 1000 + PERF_REG_X86_BP);
	assert_int_equal(user.regs.values[15], 1000 + PERF_REG_X86_R15);
	assert_int_equal(sprof_perf_argument(&user.regs, 0), 1000 + PERF_REG_X86_DI);
	assert_int_equal(sprof_perf_argument(&user.regs, 3), 1000 + PERF_REG_X86_CX);
	assert_int_equal(sprof_perf_argument(&user.regs, 5), 1000 + PERF_REG_X86_R9);
#endif
}

static void the_stack_follows(void **state)
{
	struct made made = {.size = 0};
	struct sprof_perf_record record;
	struct sprof_perf_user user;
	size_t registers;

	add_registers(&made);
	registers = made.size;
	add_stack(&made, 16);
	record = record_of(&made, made.size);
	assert_true(sprof_perf_user_read(&record, true, &user));
	assert_ptr_equal(user.stack, made.bytes + registers + 8);
	assert_int_equal(user.stack_size, 16);
	made.size = registers;
	made_add_64(&made, 0);
	record = record_of(&made, made.size);
	assert_true(sprof_perf_user_read(&record, true, &user));
	assert_null(user.stack);
	assert_int_equal(user.stack_size, 0);
}

static void refuses_what_is_none(void **state)
{
	struct made made = {.size = 0};
	struct sprof_perf_record record;
	struct sprof_perf_user user;

	add_registers(&made);
	add_stack(&made, STACK);
	for (size_t size = 0; size < made.size; size++) {
		record = record_of(&made, size);
		assert_false(sprof_perf_user_read(&record, true, &user));
	}
	made.size = 0;
	add_registers(&made);
	add_stack(&made, STACK + 1);
	record = record_of(&made, made.size);
	assert_false(sprof_perf_user_read(&record, true, &user));
	made.size = 0;
	made_add_64(&made, PERF_SAMPLE_REGS_ABI_NONE);
	record = record_of(&made, made.size);
	assert_false(sprof_perf_user_read(&record, false, &user));
}

TEST_MAIN("perf-registers")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_get_their_dwarf_numbers),
		cmocka_unit_test(the_stack_follows),
		cmocka_unit_test(refuses_what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
