/*
 * events/allocations: what scripted calls of allocators make of the books.
 */
#include "events/heap/allocations.h"

#include "tests/unit/check.h"
#include "tests/unit/events/heap-stream.h"
#include "tests/unit/short-memory.h"

/* Addresses that allocators give. */
enum { A = 0x10000, B = 0x20000, C = 0x30000, CHILD = 200 };

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

static void allocated_and_freed(void **state)
{
	heap_malloc(&one, 100, A);
	heap_call(&one, "calloc", 3, 50, B);
	heap_call(&one, "aligned_alloc", 64, 256, C);
	heap_check(&stream, SPROF_HEAP_LIVE, 506, 3);
	heap_free(&one, B);
	heap_check(&stream, SPROF_HEAP_ALLOCATED, 506, 3);
	heap_check(&stream, SPROF_HEAP_FREED, 150, 1);
	heap_check(&stream, SPROF_HEAP_LIVE, 356, 2);
	heap_check_peak(&stream, 506, 3);
	assert_int_equal(counts()->calls, 4);
	assert_int_equal(books()->lifetimes.count, 1);
}

static void nothing_happens(void **state)
{
	heap_free(&one, 0);
	heap_malloc(&one, 1 << 30, 0);
	heap_malloc(&one, 0, 0);
	heap_call(&one, "calloc", UINT64_C(1) << 40, UINT64_C(1) << 40, 0);
	heap_check(&stream, SPROF_HEAP_ALLOCATED, 0, 0);
	assert_int_equal(counts()->failed, 2);
	assert_int_equal(counts()->null_frees, 1);
	assert_int_equal(counts()->unknown_frees, 0);
}

static void of_no_byte(void **state)
{
	heap_malloc(&one, 0, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 1);
	heap_free(&one, A);
	heap_check(&stream, SPROF_HEAP_FREED, 0, 1);
}

static void resized(void **state)
{
	heap_realloc(&one, 0, 10, A);
	heap_realloc(&one, A, 20, A);
	heap_realloc(&one, A, 300, B);
	heap_realloc(&one, B, 30, B);
	heap_check(&stream, SPROF_HEAP_LIVE, 30, 1);
	heap_check(&stream, SPROF_HEAP_ALLOCATED, 360, 4);
	heap_check(&stream, SPROF_HEAP_FREED, 330, 3);
	heap_check_peak(&stream, 300, 1);
	assert_int_equal(books()->resizes.count, 3);
	assert_int_equal(books()->resizes.grown, 2);
	assert_int_equal(books()->resizes.shrunk, 1);
	assert_int_equal(books()->resizes.moved, 1);
	assert_int_equal(books()->resizes.moved_bytes, 20);
	assert_int_equal(books()->resizes.longest, 3);
	heap_free(&one, A);
	assert_int_equal(counts()->unknown_frees, 1);
	heap_free(&one, B);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
}

static void not_resized(void **state)
{
	heap_malloc(&one, 100, A);
	heap_realloc(&one, A, 1 << 30, 0);
	heap_check(&stream, SPROF_HEAP_LIVE, 100, 1);
	heap_call(&one, "xallocx", A, 200, 150);
	heap_check(&stream, SPROF_HEAP_LIVE, 100, 1);
	heap_call(&one, "xallocx", A, 140, 150);
	heap_check(&stream, SPROF_HEAP_LIVE, 140, 1);
	heap_enter(&one,
		&(struct heap_entry){
			"reallocarray", HEAP_SP, {A, UINT64_C(1) << 60, UINT64_C(1) << 60}, 1});
	leave(&one, "reallocarray", 0, 0);
	heap_check(&stream, SPROF_HEAP_LIVE, 140, 1);
	heap_call(&one, "mi_reallocf", A, 1 << 30, 0);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	assert_int_equal(counts()->unknown_frees, 0);
}

static void resized_to_nothing(void **state)
{
	heap_malloc(&one, 100, A);
	heap_realloc(&one, A, 0, 0);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	heap_malloc(&one, 100, A);
	heap_realloc(&one, A, 0, B); /* as some allocators do */
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 1);
	heap_free(&one, B);
	assert_int_equal(counts()->failed, 0);
	assert_int_equal(counts()->unknown_frees, 0);
}

/* The address is another thread's before the call returns. */
static void handed_over_during_free(void **state)
{
	heap_malloc(&one, 100, A);
	enter(&two, "malloc", 0, 50, 0);
	enter(&one, "free", 0, A, 0);
	leave(&two, "malloc", 0, A);
	leave(&one, "free", 0, 0);
	heap_check(&stream, SPROF_HEAP_LIVE, 50, 1);
	heap_check_peak(&stream, 100, 1);
	assert_int_equal(books()->replaced, 0);
	heap_free(&one, A);
	heap_check(&stream, SPROF_HEAP_FREED, 150, 2);
}

static void handed_over_during_realloc(void **state)
{
	heap_malloc(&one, 100, A);
	enter(&one, "realloc", 0, A, 200);
	heap_malloc(&two, 50, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 150, 2);
	heap_free(&two, A);
	heap_malloc(&two, 60, A);
	leave(&one, "realloc", 0, B);
	heap_check(&stream, SPROF_HEAP_LIVE, 260, 2);
	assert_int_equal(books()->replaced, 0);
	heap_free(&two, B);
	heap_free(&one, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	assert_int_equal(counts()->unknown_frees, 0);
}

static void the_same_address_again(void **state)
{
	heap_malloc(&one, 100, A);
	heap_malloc(&one, 50, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 50, 1);
	heap_check(&stream, SPROF_HEAP_FREED, 100, 1);
	heap_check_peak(&stream, 100, 1);
	assert_int_equal(books()->replaced, 1);
}

static void what_is_left_at_the_end(void **state)
{
	heap_malloc(&one, 100, A);
	heap_malloc(&two, 10, B);
	heap_exit(&one); /* the first thread */
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	heap_check(&stream, SPROF_HEAP_LEFT, 110, 2);
	heap_check_peak(&stream, 110, 2);
	/* The process goes on without it. */
	heap_malloc(&two, 1, C);
	heap_free(&two, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 11, 2);
	heap_exit(&two);
	heap_check(&stream, SPROF_HEAP_LEFT, 0, 0);
	heap_check_peak(&stream, 111, 3);
}

static void children(void **state)
{
	struct heap_thread child = heap_thread(&stream, 2);

	child.pid = child.tid = CHILD;
	heap_malloc(&one, 100, A);
	heap_fork(&one, CHILD);
	heap_free(&child, A);
	heap_malloc(&child, 10, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 110, 2);
	heap_realloc(&child, B, 20, B);
	heap_free(&one, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 30, 2);
	heap_exit(&child);
	heap_check(&stream, SPROF_HEAP_LEFT, 30, 2);
	heap_check_peak(&stream, 130, 3);
	assert_int_equal(counts()->inherited_frees, 2);
	assert_int_equal(counts()->unknown_frees, 0);
	/* The number is given again. */
	child.id = 3;
	heap_fork(&one, CHILD);
	heap_malloc(&child, 1, A);
	heap_check(&stream, SPROF_HEAP_LEFT, 30, 2);
	heap_check(&stream, SPROF_HEAP_LIVE, 1, 1);
	assert_int_equal(books()->replaced, 0);
}

static void children_that_are_not_followed(void **state)
{
	struct heap_thread child = heap_thread(&stream, 2);

	heap_stream_end(&stream);
	heap_stream_begin(&stream, true, false);
	child.pid = child.tid = CHILD;
	heap_malloc(&one, 100, A);
	heap_fork(&one, CHILD);
	heap_free(&child, A);
	heap_malloc(&child, 10, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 100, 1);
	assert_int_equal(counts()->inherited_frees, 0);
}

static void another_program(void **state)
{
	heap_malloc(&one, 100, A);
	heap_malloc(&two, 20, B);
	enter(&one, "realloc", 64, A, 200);
	enter(&two, "malloc", 64, 5, 0);
	heap_exec(&one);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	heap_check(&stream, SPROF_HEAP_REPLACED, 120, 2);
	heap_malloc(&one, 7, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 7, 1);
	heap_exit(&one);
	heap_check(&stream, SPROF_HEAP_LEFT, 7, 1);
	assert_int_equal(books()->replaced, 0);
}

static void temporary_memory(void **state)
{
	heap_malloc(&one, 10, A);
	heap_malloc(&two, 20, B);
	heap_free(&one, A); /* its last one */
	heap_free(&one, B); /* another thread's */
	heap_malloc(&one, 40, A);
	heap_malloc(&one, 80, B);
	heap_free(&one, A); /* not its last one */
	heap_free(&one, B);
	heap_check(&stream, SPROF_HEAP_TEMPORARY, 90, 2);
}

static void stored_addresses(void **state)
{
	stream.stored = A;
	heap_enter(&one, &(struct heap_entry){"posix_memalign", HEAP_SP, {0x5000, 64, 100}, 1});
	leave(&one, "posix_memalign", 0, 0);
	heap_enter(&one, &(struct heap_entry){"posix_memalign", HEAP_SP, {0x5000, 64, 7}, 1});
	leave(&one, "posix_memalign", 0, 12);
	heap_check(&stream, SPROF_HEAP_LIVE, 100, 1);
	heap_free(&one, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	assert_int_equal(counts()->unread, 0);
	assert_int_equal(counts()->failed, 1);
}

/* The word has changed before it was read, or can't be read: a free of memory that nobody knows tells. */
static void stored_addresses_read_too_late(void **state)
{
	static const uint64_t stored[] = {C, B + 1, 0};

	for (size_t i = 0; i < 3; i++) {
		stream.stored = stored[i];
		heap_enter(&one,
			&(struct heap_entry){"posix_memalign", HEAP_SP, {0x5000, 64, 100}, 1});
		leave(&one, "posix_memalign", 0, 0);
		heap_check(&stream, SPROF_HEAP_LIVE, 100, 1);
		heap_free(&one, A + 1);
		heap_check(&stream, SPROF_HEAP_LIVE, 100, 1);
		heap_free(&one, A);
		heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	}
	assert_int_equal(counts()->unread, 2);
	assert_int_equal(counts()->unknown_frees, 3);
}

static void two_at_one_stored_address(void **state)
{
	stream.stored = B;
	for (int i = 0; i < 2; i++) {
		heap_enter(&one,
			&(struct heap_entry){"posix_memalign", HEAP_SP, {0x5000, 64, 100}, 1});
		leave(&one, "posix_memalign", 0, 0);
	}
	heap_check(&stream, SPROF_HEAP_LIVE, 200, 2);
	heap_free(&one, B);
	heap_free(&one, A);
	heap_check(&stream, SPROF_HEAP_LIVE, 0, 0);
	assert_int_equal(books()->replaced, 0);
}

/* If frees have stacks, each block counts where it is freed, too. */
static void the_stack_that_frees(void **state)
{
	const struct sprof_heap_site *sites;

	heap_enter(&one, &(struct heap_entry){"malloc", HEAP_SP, {100}, 5});
	leave(&one, "malloc", 0, A);
	heap_malloc(&one, 50, B);
	heap_enter(&two, &(struct heap_entry){"free", HEAP_SP, {A}, 7});
	heap_free(&one, B);
	heap_check(&stream, SPROF_HEAP_FREED, 150, 2);
	heap_check(&stream, SPROF_HEAP_RELEASED, 100, 1);
	sites = books()->sites;
	assert_int_equal(books()->site_count, 3);
	assert_int_equal(sites[0].sums[SPROF_HEAP_RELEASED].bytes, 0);
	assert_int_equal(sites[2].stack, 7);
	assert_int_equal(sites[2].sums[SPROF_HEAP_RELEASED].bytes, 100);
	assert_int_equal(sites[2].sums[SPROF_HEAP_FREED].bytes, 0);
}

static void a_resize_to_nothing_frees_too(void **state)
{
	heap_malloc(&one, 100, A);
	heap_realloc(&one, A, 0, 0);
	heap_check(&stream, SPROF_HEAP_FREED, 100, 1);
	heap_check(&stream, SPROF_HEAP_RELEASED, 100, 1);
}

/* What each stack had at the peak, though it changed afterwards. */
static void the_peak_by_stack(void **state)
{
	const struct sprof_heap_site *sites;

	heap_enter(&one, &(struct heap_entry){"malloc", HEAP_SP, {100}, 5});
	leave(&one, "malloc", 0, A);
	heap_enter(&one, &(struct heap_entry){"malloc", HEAP_SP, {50}, 6});
	leave(&one, "malloc", 0, B);
	heap_free(&one, A);
	heap_enter(&two, &(struct heap_entry){"malloc", HEAP_SP, {90}, 6});
	leave(&two, "malloc", 0, C);
	heap_free(&one, B);
	sites = books()->sites;
	assert_int_equal(books()->site_count, 3);
	heap_check_peak(&stream, 150, 2);
	assert_int_equal(sprof_heap_at_peak(books(), &sites[0]).bytes, 100);
	assert_int_equal(sprof_heap_at_peak(books(), &sites[1]).bytes, 50);
	assert_int_equal(sprof_heap_at_peak(books(), &sites[2]).bytes, 0);
	assert_int_equal(sites[2].thread, 1);
	assert_int_equal(sites[2].stack, 6);
}

static void sizes(void **state)
{
	static const uint64_t sizes[] = {0, 1, 2, 3, 4, 1023, 1024};

	for (size_t i = 0; i < 7; i++)
		heap_malloc(&one, sizes[i], A + i * 4096);
	assert_int_equal(books()->sizes[0].objects, 1);
	assert_int_equal(books()->sizes[1].objects, 1);
	assert_int_equal(books()->sizes[2].objects, 2);
	assert_int_equal(books()->sizes[3].objects, 1);
	assert_int_equal(books()->sizes[10].bytes, 1023);
	assert_int_equal(books()->sizes[11].bytes, 1024);
}

/* One call, in a run in which the n-th allocation fails: it is told, and what is there can be freed. */
static bool goes_well_without(unsigned long number)
{
	const struct sprof_trace_value begin[SPROF_TRACE_MAX_VALUES] = {
		[2].integer = HEAP_SP, [3].integer = 100};
	const struct sprof_trace_value end[SPROF_TRACE_MAX_VALUES] = {
		[2].integer = HEAP_SP + HEAP_RETURN_SIZE, [3].integer = A};
	struct sprof_trace_event event = {.type = SPROF_TRACE_PROBE, .stack = 1, .fields = begin};
	bool done;

	heap_stream_begin(&stream, true, true);
	short_memory_begin(number);
	done = sprof_allocations_add(stream.allocations, &event);
	event.type = SPROF_TRACE_RETURN;
	event.fields = end;
	done = done && sprof_allocations_add(stream.allocations, &event);
	short_memory_end();
	return done;
}

static void without_memory(void **state)
{
	unsigned long number = 1;

	for (; !goes_well_without(number); number++) {
		sprof_allocations_destroy(stream.allocations);
		assert_true(number < 100);
	}
	assert_true(number > 5);
	heap_check(&stream, SPROF_HEAP_LIVE, 100, 1);
	heap_stream_end(&stream);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

TEST_MAIN("allocations")
{
	const struct CMUnitTest tests[] = {
		TEST(allocated_and_freed),
		TEST(nothing_happens),
		TEST(of_no_byte),
		TEST(resized),
		TEST(not_resized),
		TEST(resized_to_nothing),
		TEST(handed_over_during_free),
		TEST(handed_over_during_realloc),
		TEST(the_same_address_again),
		TEST(what_is_left_at_the_end),
		TEST(children),
		TEST(children_that_are_not_followed),
		TEST(another_program),
		TEST(temporary_memory),
		TEST(stored_addresses),
		TEST(stored_addresses_read_too_late),
		TEST(two_at_one_stored_address),
		TEST(the_stack_that_frees),
		TEST(a_resize_to_nothing_frees_too),
		TEST(the_peak_by_stack),
		TEST(sizes),
		cmocka_unit_test(without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
