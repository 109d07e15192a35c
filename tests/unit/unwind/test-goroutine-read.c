/*
 * unwind/goroutine-read: the thread pointer of a thread that has never stopped, and where the thread's own stack was left.
 * The stack is a piece of this process's memory, and its mapping ends where the test says.
 */
#include "unwind/goroutine-read.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/proc/maps.h"
#include "attach/proc/memory.h"
#include "elfsym/go/runtime.h"
#include "tests/unit/check.h"

enum {
	PAGE = 4096,
	WORDS = 64 * 1024,
	OWN = 30 * 1024,            /* index of the thread's description of itself */
	STACK_END = OWN + PAGE / 8, /* libc puts it some 2 KiB below the end of the stack */
	DEPTH = 500,                /* words of the stack that are in use */
	G = WORDS - 256,            /* a g, and an m */
	M = WORDS - 128,
	SYSTEM_G = WORDS - 384, /* the g's of the thread's own stack and of its handlers */
	SIGNAL_G = WORDS - 512,
	G_OFFSET = 8, /* words, from the thread pointer and inside an m */
	THREAD_ID = 2,
	CURRENT_G = 5,
	FIRST = 100, /* the process, and ids of threads */
	LATER = 101,
	OWN_TID = 7,
};

static const struct sprof_go_runtime runtime = {
	.g = 8 * G_OFFSET, .current_g = 8 * CURRENT_G, .thread_id = 8 * THREAD_ID};

static uint64_t *memory;

static uint64_t address_of(size_t word)
{
	return (uintptr_t)&memory[word];
}

static size_t read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	return sprof_memory_read(getpid(), address, buffer, size);
}

/* What a thread with this id finds from this word of a stack whose mapping ends at another. */
static uint64_t find(pid_t tid, size_t sp, size_t end)
{
	struct sprof_mapping stack = {.start = address_of(0), .end = address_of(end)};
	const struct sprof_maps maps = {.items = &stack, .count = 1};
	const struct sprof_goroutine_reading reading = {
		.read_memory = read_memory, .runtime = &runtime, .own_tid = OWN_TID};

	return sprof_goroutine_find_thread(&reading, &maps, address_of(sp), tid == FIRST);
}

/* The thread pointer's target, with the g and the m that it leads to. */
static void put_thread(size_t at, size_t m)
{
	memory[at] = memory[at + 2] = address_of(at);
	memory[at + G_OFFSET] = address_of(G);
	memory[G + SPROF_GO_G_M / 8] = address_of(m);
}

static int set_up(void **state)
{
	memory = aligned_alloc(PAGE, WORDS * sizeof(*memory));
	memset(memory, 0, WORDS * sizeof(*memory));
	memory[M + THREAD_ID] = OWN_TID;
	put_thread(OWN, M);
	return 0;
}

static int tear_down(void **state)
{
	free(memory);
	return 0;
}

static void test_at_the_end_of_the_mapping(void **state)
{
	assert_int_equal(find(LATER, OWN - DEPTH, STACK_END), address_of(OWN));
	assert_int_equal(find(LATER, DEPTH, STACK_END), address_of(OWN));
}

/* Memory that was mapped right behind the stack is in one mapping with it. */
static void test_before_other_memory(void **state)
{
	assert_int_equal(find(LATER, OWN - DEPTH, WORDS), address_of(OWN));
	assert_int_equal(find(LATER, OWN - 8 * DEPTH + 1, WORDS), address_of(OWN));
}

static void test_too_far_away(void **state)
{
	assert_int_equal(find(LATER, DEPTH, WORDS), 0);
}

static void test_no_such_pointer(void **state)
{
	memory[OWN + 2] = 0;
	assert_int_equal(find(LATER, OWN - DEPTH, STACK_END), 0);
	assert_int_equal(find(LATER, OWN - DEPTH, WORDS), 0);
}

static void test_a_small_stack(void **state)
{
	assert_int_equal(find(LATER, OWN - 4, OWN + 8), 0);
}

/* It was once another thread's, or looks like one. */
static void test_another_threads_pointer(void **state)
{
	memory[M + THREAD_ID]++;
	assert_int_equal(find(LATER, OWN - DEPTH, STACK_END), 0);
}

/* Its pointer is not on its stack. */
static void test_the_first_thread(void **state)
{
	assert_int_equal(find(FIRST, WORDS - 1, OWN + 1024), address_of(OWN));
	memory[OWN] = 0;
	put_thread(3000, M);
	assert_int_equal(find(FIRST, WORDS - 1, OWN + 1024), address_of(3000));
	assert_int_equal(find(FIRST, WORDS - 1, 3512), address_of(3000));
}

enum { OWN_SP = 2000, GOROUTINE_SP = 5000, SIGNAL_SP = 8000, STACK = 1000, LEFT = 2500 };

/* A g with the stack around this word, last left at `left`. */
static void put_g(size_t g, size_t sp, uint64_t left)
{
	memory[g + SPROF_GO_G_STACK / 8] = address_of(sp - STACK);
	memory[g + SPROF_GO_G_STACK / 8 + 1] = address_of(sp + STACK);
	memory[g + SPROF_GO_G_M / 8] = address_of(M);
	memory[g + SPROF_GO_G_SCHED_SP / 8] = left;
}

/* What is known of the thread, which says that it runs this g, at this word of its stacks. */
static struct sprof_goroutine read_at(size_t g, size_t sp, bool wants_system)
{
	const struct sprof_goroutine_reading reading = {.read_memory = read_memory,
		.runtime = &runtime,
		.own_tid = OWN_TID,
		.thread_pointer = address_of(OWN),
		.wants_system = wants_system};
	struct sprof_regs regs = {0};
	struct sprof_goroutine goroutine;

	put_g(G, GOROUTINE_SP, 0);
	put_g(SYSTEM_G, OWN_SP, address_of(LEFT));
	put_g(SIGNAL_G, SIGNAL_SP, 0);
	memory[M + CURRENT_G] = address_of(G);
	memory[M + SPROF_GO_M_SYSTEM_G / 8] = address_of(SYSTEM_G);
	memory[OWN + G_OFFSET] = address_of(g);
	sprof_regs_set(&regs, SPROF_REG_SP, address_of(sp));
	assert_true(sprof_goroutine_read(&reading, &regs, &goroutine));
	return goroutine;
}

/* C may have called Go below, whatever the thread runs on top: Go, C, or a signal's handler. */
static void test_where_the_own_stack_was_left(void **state)
{
	static const struct {
		size_t g, sp;
		bool is_interrupted;
	} places[] = {{G, GOROUTINE_SP, false}, {SYSTEM_G, OWN_SP, false}, {G, OWN_SP, false},
		{SIGNAL_G, SIGNAL_SP, true}};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct sprof_goroutine seen = read_at(places[i].g, places[i].sp, true);

		assert_true(seen.has_system);
		assert_int_equal(seen.system_sp, address_of(LEFT));
		assert_int_equal(seen.is_interrupted, places[i].is_interrupted);
		assert_false(read_at(places[i].g, places[i].sp, false).has_system);
	}
}

TEST_MAIN("goroutine-read")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_at_the_end_of_the_mapping, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_before_other_memory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_too_far_away, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_no_such_pointer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_small_stack, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_another_threads_pointer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_first_thread, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_where_the_own_stack_was_left, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
