/* Tests for interp/python/holds.c on made-up memory of 3.11. tests/e2e has whole processes. */
#include "interp/python/python.h"

#include <string.h>

#include "tests/unit/check.h"

enum {
	BASE = 0x10000,
	CODE = BASE + 0x100,
	FRAME = BASE + 0x400,
	METHOD = BASE + 0x600,
	LOCK = BASE + 0x700,
	TABLE = BASE + 0x800,
	WAITER = BASE + 0xa00,
	SIZE = 0x1000,
	SEMAPHORE = 0x5550,
	LOCALS = 1,
};

static uint8_t bytes[SIZE];

/* Instructions 5 to 7 leave two values, 100 to 163 one, by the format's groups of six bits. */
static const uint8_t table[] = {0x85, 3, 20, 5, 0xc1, 36, 0x41, 0, 0x43, 8, 2};

static size_t read_bytes(void *data, uint64_t address, void *buffer, size_t size)
{
	if (address < BASE || address - BASE > SIZE || BASE + SIZE - address < size)
		return 0;
	memcpy(buffer, bytes + (address - BASE), size);
	return size;
}

static void put(uint64_t address, uint64_t word, size_t size)
{
	memcpy(bytes + (address - BASE), &word, size);
}

/* The frame has the method as its second value. */
static void make(size_t table_size)
{
	memset(bytes, 0, sizeof(bytes));
	put(CODE + 40, TABLE, 8);
	put(CODE + 76, LOCALS, 4);
	put(TABLE + 16, table_size, 8);
	memcpy(bytes + (TABLE + 32 - BASE), table, sizeof(table));
	put(FRAME + 72 + (LOCALS + 1) * 8, METHOD, 8);
	put(METHOD + 24, LOCK, 8);
	put(LOCK + 16, SEMAPHORE, 8);
}

static bool holds(uint64_t instruction, uint64_t semaphore)
{
	const struct sprof_python_process process = {.offsets = *sprof_python_offsets_of(0x030b)};
	const struct sprof_interp_memory memory = {.read = read_bytes};
	struct sprof_interp_frame frame = {
		.address = FRAME, .code = CODE, .instruction = CODE + 184 + 2 * instruction};
	static struct sprof_interp_copy copy;

	copy.frames = &frame;
	copy.frame_count = 1;
	return sprof_python_holds(&process.common, &memory, &copy, semaphore);
}

static void only_values_in_use_count(void **state)
{
	make(sizeof(table));
	assert_true(holds(5, SEMAPHORE));
	assert_true(holds(7, SEMAPHORE));
	assert_false(holds(4, SEMAPHORE));
	assert_false(holds(8, SEMAPHORE));
	assert_false(holds(100, SEMAPHORE));
	assert_false(holds(5, SEMAPHORE + 8));
	put(FRAME + 72 + LOCALS * 8, METHOD, 8);
	assert_true(holds(100, SEMAPHORE));
	assert_true(holds(163, SEMAPHORE));
	assert_false(holds(164, SEMAPHORE));
}

/* As in 3.13.5: the object has a mutex, and the waiting thread's stack its address before the semaphore. */
static void a_lock_with_a_mutex(void **state)
{
	make(sizeof(table));
	put(LOCK + 16, 3, 1);
	put(WAITER - 8, LOCK + 16, 8);
	assert_true(holds(5, WAITER));
	assert_false(holds(4, WAITER));
	put(WAITER - 8, LOCK + 8, 8);
	assert_false(holds(5, WAITER));
}

static void broken_memory_holds_nothing(void **state)
{
	for (size_t size = 0; size < 4; size++) {
		make(size);
		assert_false(holds(5, SEMAPHORE));
	}
	make((size_t)-1);
	assert_false(holds(5, SEMAPHORE));
	make(sizeof(table));
	memset(bytes + (TABLE + 32 - BASE), 0xff, sizeof(table));
	assert_false(holds(5, SEMAPHORE));
}

TEST_MAIN("python-holds")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_values_in_use_count),
		cmocka_unit_test(a_lock_with_a_mutex),
		cmocka_unit_test(broken_memory_holds_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
