/*
 * sampler/goroutine: the thread pointer of a thread that has never stopped. The stack is a piece of
 * this process's memory, and its mapping ends where the test says.
 */
#include "sampler/goroutine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/maps-query.h"
#include "attach/maps.h"
#include "attach/memory.h"
#include "attach/target.h"
#include "sampler/world.h"
#include "tests/unit/check.h"

enum {
	PAGE = 4096,
	WORDS = 64 * 1024,
	OWN = 30 * 1024,            /* index of the thread's description of itself */
	STACK_END = OWN + PAGE / 8, /* libc puts it some 2 KiB below the end of the stack */
	DEPTH = 500,                /* words of the stack that are in use */
};

static uint64_t *memory;

static uint64_t address_of(size_t word)
{
	return (uintptr_t)&memory[word];
}

static size_t read_memory(
	void *data, const struct sprof_thread *thread, uint64_t address, void *buffer, size_t size)
{
	return sprof_memory_read(getpid(), address, buffer, size);
}

/* What is found from this word of a stack whose mapping ends behind so many words. */
static uint64_t find(size_t sp, size_t end)
{
	const struct sprof_world world = {.read_memory = read_memory};
	struct sprof_mapping stack = {.start = address_of(0), .end = address_of(end)};
	struct sprof_process process = {.maps = {.items = &stack, .count = 1}};
	const struct sprof_thread thread = {.process = &process};

	return sprof_goroutine_find_thread(&world, &thread, address_of(sp));
}

static int set_up(void **state)
{
	memory = aligned_alloc(PAGE, WORDS * sizeof(*memory));
	memset(memory, 0, WORDS * sizeof(*memory));
	memory[OWN] = memory[OWN + 2] = address_of(OWN);
	return 0;
}

static int tear_down(void **state)
{
	free(memory);
	return 0;
}

static void test_at_the_end_of_the_mapping(void **state)
{
	assert_int_equal(find(OWN - DEPTH, STACK_END), address_of(OWN));
	assert_int_equal(find(DEPTH, STACK_END), address_of(OWN));
}

/* Memory that was mapped right behind the stack is in one mapping with it. */
static void test_before_other_memory(void **state)
{
	assert_int_equal(find(OWN - DEPTH, WORDS), address_of(OWN));
	assert_int_equal(find(OWN - 8 * DEPTH + 1, WORDS), address_of(OWN));
}

static void test_too_far_away(void **state)
{
	assert_int_equal(find(DEPTH, WORDS), 0);
}

static void test_no_such_pointer(void **state)
{
	memory[OWN + 2] = 0;
	assert_int_equal(find(OWN - DEPTH, STACK_END), 0);
	assert_int_equal(find(OWN - DEPTH, WORDS), 0);
}

static void test_a_small_stack(void **state)
{
	assert_int_equal(find(OWN - 4, OWN + 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_at_the_end_of_the_mapping, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_before_other_memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_too_far_away, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_such_pointer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_small_stack, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
