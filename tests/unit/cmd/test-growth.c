/*
 * cmd/growth: what system calls make usable, and sums by thread and stack.
 */
#include "cmd/heap/growth.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "events/syscalls/open-calls.h"
#include "tests/unit/check.h"

enum { PID = 100, THREAD = 3, STACK = 7, PAGE = 4096 };

static struct sprof_call call_of(int64_t number, uint64_t first, uint64_t second, uint64_t third)
{
	return (struct sprof_call){
		.thread = THREAD,
		.pid = PID,
		.arch = sprof_call_native_arch(),
		.number = number,
		.arguments = {first, second, third, MAP_PRIVATE | MAP_ANONYMOUS},
		.stack = STACK,
	};
}

static uint64_t bytes_of(const struct sprof_growth *growth)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < growth->row_count; i++)
		sum += growth->rows[i].bytes;
	return sum;
}

static void add(struct sprof_growth *growth, struct sprof_call call, int64_t result)
{
	call.result = result;
	call.is_error = sprof_call_result_is_error(result);
	assert_true(sprof_growth_add_call(growth, &call));
}

static void only_new_writable_memory_counts(void **state)
{
	struct sprof_growth growth = {0};
	struct sprof_call file = call_of(SYS_mmap, 0, PAGE, PROT_READ | PROT_WRITE);

	add(&growth, call_of(SYS_mmap, 0, 3 * PAGE, PROT_READ | PROT_WRITE), 0x7000);
	assert_int_equal(bytes_of(&growth), 3 * PAGE);
	add(&growth, call_of(SYS_mmap, 0, 9 * PAGE, PROT_NONE), 0x9000);
	add(&growth, call_of(SYS_mmap, 0, 9 * PAGE, PROT_READ | PROT_WRITE), -ENOMEM);
	file.arguments[3] = MAP_PRIVATE;
	add(&growth, file, 0xa000);
	assert_int_equal(bytes_of(&growth), 3 * PAGE);
	add(&growth, call_of(SYS_mprotect, 0x9000, PAGE, PROT_READ | PROT_WRITE), 0);
	add(&growth, call_of(SYS_mprotect, 0x9000, PAGE, PROT_READ), 0);
	add(&growth, call_of(SYS_mremap, 0x7000, 3 * PAGE, 5 * PAGE), 0x7000);
	add(&growth, call_of(SYS_mremap, 0x7000, 5 * PAGE, PAGE), 0x7000);
	assert_int_equal(bytes_of(&growth), 6 * PAGE);
	assert_int_equal(growth.row_count, 1);
	assert_int_equal(growth.rows[0].count, 3);
	assert_int_equal(growth.rows[0].stack, STACK);
	sprof_growth_finish(&growth);
}

static void the_break_moves(void **state)
{
	struct sprof_growth growth = {0};
	struct sprof_call other = call_of(SYS_brk, 0, 0, 0);

	add(&growth, call_of(SYS_brk, 0, 0, 0), 0x10000);
	assert_int_equal(bytes_of(&growth), 0);
	add(&growth, call_of(SYS_brk, 0x12000, 0, 0), 0x12000);
	assert_int_equal(bytes_of(&growth), 0x2000);
	add(&growth, call_of(SYS_brk, 0x11000, 0, 0), 0x11000);
	other.pid = PID + 1;
	add(&growth, other, 0x90000);
	add(&growth, call_of(SYS_brk, 0x13000, 0, 0), 0x13000);
	assert_int_equal(bytes_of(&growth), 0x4000);
	/* Another program, whose end lies elsewhere, asks where. */
	add(&growth, call_of(SYS_brk, 0, 0, 0), 0x80000);
	assert_int_equal(bytes_of(&growth), 0x4000);
	sprof_growth_finish(&growth);
}

static void rows_are_by_thread_and_stack(void **state)
{
	struct sprof_growth growth = {0};

	assert_true(sprof_growth_add(&growth, 1, 1, 10, 1));
	assert_true(sprof_growth_add(&growth, 1, 2, 10, 1));
	assert_true(sprof_growth_add(&growth, 2, 1, 10, 1));
	assert_true(sprof_growth_add(&growth, 1, 1, 5, 2));
	assert_int_equal(growth.row_count, 3);
	assert_int_equal(growth.rows[0].bytes, 15);
	assert_int_equal(growth.rows[0].count, 3);
	sprof_growth_finish(&growth);
}

TEST_MAIN("growth")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_new_writable_memory_counts),
		cmocka_unit_test(the_break_moves),
		cmocka_unit_test(rows_are_by_thread_and_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
