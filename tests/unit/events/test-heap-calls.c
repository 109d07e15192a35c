/*
 * events/heap-calls: which calls of allocators count, and which have been left, in scripted streams.
 */
#include "events/heap/calls.h"

#include "tests/unit/check.h"
#include "tests/unit/events/heap-stream.h"

/* Addresses that allocators give. */
enum { A = 0x10000, B = 0x20000, C = 0x30000 };

static struct heap_stream stream;
static struct heap_thread one, two;

static int set_up(void **state)
{
	heap_stream_begin(&stream, true, true);
	one = heap_thread(&stream, 0);
	two = heap_thread(&stream, 1);
	return 0;
}

static int tear_down(void **state)
{
	heap_stream_end(&stream);
	return 0;
}

static const struct sprof_allocations_counts *counts(void)
{
	return sprof_allocations_counts(stream.allocations);
}

static const struct sprof_heap_books *books(void)
{
	return sprof_allocations_books(stream.allocations);
}

static void enter(const struct heap_thread *thread, const char *name, uint64_t below,
	uint64_t first, uint64_t second)
{
	heap_enter(thread, &(struct heap_entry){name, HEAP_SP - below, {first, second}, 1});
}

static void leave(
	const struct heap_thread *thread, const char *name, uint64_t below, uint64_t result)
{
	heap_leave(thread, name, HEAP_SP - below, result);
}

static void only_the_outermost_call_counts(void **state)
{
	enter(&one, "_Znwm", 0, 100, 0);
	enter(&one, "malloc", 32, 100, 0);
	leave(&one, "malloc", 32, A);
	leave(&one, "_Znwm", 0, A);
	heap_check(&stream, SPROF_HEAP_ALLOCATED, 100, 1);
	enter(&one, "_ZdlPv", 0, A, 0);
	enter(&one, "free", 16, A, 0);
	leave(&one, "free", 16, 0);
	leave(&one, "_ZdlPv", 0, 0);
	heap_check(&stream, SPROF_HEAP_FREED, 100, 1);
	assert_int_equal(counts()->calls, 2);
	assert_int_equal(counts()->unknown_frees, 0);
	assert_int_equal(counts()->unpaired_returns, 0);
}

/* Nobody needs to tell of the return of a call that frees. */
static void frees_without_returns(void **state)
{
	heap_malloc(&one, 100, A);
	heap_malloc(&one, 10, C);
	enter(&one, "_ZdlPv", 0, A, 0);
	enter(&one, "free", 16, A, 0);
	enter(&one, "malloc", 64, 20, 0);
	leave(&one, "malloc", 64, B);
	enter(&one, "free", 80, B, 0);
	heap_malloc(&two, 30, B);
	enter(&one, "free", 80, B, 0);
	enter(&one, "free", 64, C, 0);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	heap_check(&stream, SPROF_HEAP_FREED, 160, 4);
	assert_int_equal(counts()->unknown_frees, 0);
	assert_int_equal(counts()->calls, 8);
	enter(&one, "free", 48, C, 0);
	assert_int_equal(counts()->unknown_frees, 1);
}

/* What is resized to nothing is freed by a jump. */
static void a_resize_becomes_a_free(void **state)
{
	heap_malloc(&one, 100, A);
	enter(&one, "realloc", 0, A, 0);
	enter(&one, "free", 0, A, 0);
	leave(&one, "free", 0, 0);
	leave(&one, "realloc", 0, 0);
	heap_check(&stream, SPROF_HEAP_FREED, 100, 1);
	assert_int_equal(counts()->calls, 2);
	assert_int_equal(counts()->unpaired_returns, 0);
}

/* A jump to the next function: the same sp, and both return. */
static void tail_calls(void **state)
{
	enter(&one, "malloc", 0, 100, 0);
	enter(&one, "mi_heap_malloc", 0, 0x900000, 100);
	leave(&one, "mi_heap_malloc", 0, A);
	leave(&one, "malloc", 0, A);
	heap_check(&stream, SPROF_HEAP_ALLOCATED, 100, 1);
	enter(&one, "_ZdlPv", 0, A, 0);
	enter(&one, "free", 0, A, 0);
	leave(&one, "free", 0, 0);
	leave(&one, "_ZdlPv", 0, 0);
	heap_check(&stream, SPROF_HEAP_FREED, 100, 1);
	enter(&one, "reallocarray", 0, 0, 100);
	enter(&one, "realloc", 0, 0, 100);
	leave(&one, "realloc", 0, B);
	leave(&one, "reallocarray", 0, B);
	enter(&one, "reallocarray", 0, B, 120);
	enter(&one, "realloc", 0, B, 120);
	leave(&one, "realloc", 0, C);
	leave(&one, "reallocarray", 0, C);
	heap_check(&stream, SPROF_HEAP_LIVE, 120, 1);
	assert_int_equal(counts()->calls, 4);
	assert_int_equal(counts()->unknown_frees, 0);
	assert_int_equal(counts()->unpaired_returns, 0);
	assert_int_equal(counts()->left, 0);
}

/* operator new, called deep in the program, ends by an exception: what follows is not within it. */
static void exceptions(void **state)
{
	enter(&one, "_Znwm", 0, 1 << 30, 0);
	enter(&one, "malloc", 32, 1 << 30, 0);
	leave(&one, "malloc", 32, 0);
	enter(&one, "__cxa_allocate_exception", 40, 8, 0);
	enter(&one, "malloc", 80, 136, 0);
	leave(&one, "malloc", 80, A);
	leave(&one, "__cxa_allocate_exception", 40, A);
	heap_free(&one, 0);
	enter(&one, "free", 200, A, 0);
	leave(&one, "free", 200, 0);
	enter(&one, "malloc", 100, 10, 0);
	leave(&one, "malloc", 100, B);
	heap_check(&stream, SPROF_HEAP_ALLOCATED, 146, 2);
	heap_check(&stream, SPROF_HEAP_LIVE, 10, 1);
	assert_int_equal(counts()->left, 1);
	assert_int_equal(counts()->unknown_frees, 0);
	assert_int_equal(counts()->unpaired_returns, 0);
}

/* The exception is caught within the function, which then returns nothing. */
static void exceptions_within(void **state)
{
	enter(&one, "_ZnwmRKSt9nothrow_t", 0, 1 << 30, 0);
	enter(&one, "_Znwm", 32, 1 << 30, 0);
	enter(&one, "__cxa_allocate_exception", 64, 8, 0);
	enter(&one, "malloc", 96, 136, 0);
	leave(&one, "malloc", 96, A);
	leave(&one, "__cxa_allocate_exception", 64, A);
	enter(&one, "free", 64, A, 0);
	leave(&one, "free", 64, 0);
	leave(&one, "_ZnwmRKSt9nothrow_t", 0, 0);
	heap_check(&stream, SPROF_HEAP_FREED, 136, 1);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	assert_int_equal(counts()->failed, 1);
	assert_int_equal(counts()->unpaired_returns, 0);
}

/* A later call at the same sp or above it shows that the first one was left. */
static void left_by_a_jump(void **state)
{
	heap_malloc(&one, 100, A);
	enter(&one, "realloc", 64, A, 200);
	enter(&one, "malloc", 32, 10, 0);
	leave(&one, "malloc", 32, B);
	heap_check(&stream, SPROF_HEAP_LIVE, 110, 2);
	assert_int_equal(counts()->left, 1);
	heap_free(&one, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 10, 1);
	assert_int_equal(counts()->unknown_frees, 0);
}

/* One that was left above all that follows is given up after some calls, and no free is lost. */
static void left_far_above(void **state)
{
	heap_malloc(&one, 100, A);
	enter(&one, "malloc", 0, 10, 0);
	enter(&one, "free", 64, A, 0);
	leave(&one, "free", 64, 0);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	for (uint64_t i = 0; i < 100; i++) {
		enter(&one, "malloc", 64, 10, 0);
		leave(&one, "malloc", 64, B + i * 16);
	}
	assert_true(books()->totals[SPROF_HEAP_LIVE].objects >= 80);
	assert_int_equal(counts()->unpaired_returns, 0);
}

/* A handler on a stack of its own interrupts an allocator; a coroutine runs below a call that was left. */
static void other_stacks(void **state)
{
	enter(&one, "malloc", 0, 100, 0);
	heap_enter(&one, &(struct heap_entry){"malloc", HEAP_SP + (4 << 20), {10}, 1});
	heap_leave(&one, "malloc", HEAP_SP + (4 << 20), B);
	heap_enter(&one, &(struct heap_entry){"malloc", HEAP_SP - (1 << 20), {20}, 1});
	heap_leave(&one, "malloc", HEAP_SP - (1 << 20), C);
	leave(&one, "malloc", 0, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 130, 3);
	assert_int_equal(counts()->left, 0);
	assert_int_equal(counts()->unpaired_returns, 0);
}

static void more_stacks_than_there_is_room_for(void **state)
{
	heap_malloc(&one, 100, A);
	heap_enter(&one, &(struct heap_entry){"realloc", 0x1000000, {A, 200}, 1});
	for (uint64_t i = 2; i < 12; i++)
		heap_enter(&one, &(struct heap_entry){"malloc", i * 0x1000000, {8}, 1});
	heap_leave(&one, "realloc", 0x1000000, B);
	heap_check(&stream, SPROF_HEAP_LIVE, 100, 1);
	heap_free(&one, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
}

static void under_way_at_the_beginning(void **state)
{
	leave(&one, "malloc", 0, A);
	leave(&two, "free", 0, 0);
	heap_free(&one, A);
	heap_realloc(&one, B, 10, C);
	heap_check(&stream, SPROF_HEAP_LIVE, 10, 1);
	assert_int_equal(counts()->unpaired_returns, 1);
	assert_int_equal(counts()->unknown_frees, 1);
	assert_int_equal(counts()->unknown_resizes, 1);
}

static void a_thread_ends_in_a_call(void **state)
{
	heap_malloc(&two, 100, A);
	enter(&two, "realloc", 0, A, 200);
	heap_exit(&two);
	heap_check(&stream, SPROF_HEAP_LIVE, 100, 1);
	heap_free(&one, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

TEST_MAIN("heap-calls")
{
	const struct CMUnitTest tests[] = {
		TEST(only_the_outermost_call_counts),
		TEST(frees_without_returns),
		TEST(a_resize_becomes_a_free),
		TEST(tail_calls),
		TEST(exceptions),
		TEST(exceptions_within),
		TEST(left_by_a_jump),
		TEST(left_far_above),
		TEST(other_stacks),
		TEST(more_stacks_than_there_is_room_for),
		TEST(under_way_at_the_beginning),
		TEST(a_thread_ends_in_a_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
