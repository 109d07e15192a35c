/*
 * cmd/heap-sites: rows by stack without the allocator's frame, what is old, and kinds of values.
 */
#include "output/heap/sites.h"

#include <stdlib.h>

#include "profile/model/build.h"
#include "tests/unit/check.h"

enum { CALLER = 1, MALLOC = 2, OTHER = 3, NOW = 1000 };

static struct sprof_heap_books books;
static struct sprof_profile *profile;
static uint32_t process;

static void add_stack(uint32_t parent, uint32_t location)
{
	profile->stacks[profile->stack_count++] = (struct sprof_profile_stack){parent, location};
}

/* root -> main -> malloc, and malloc without a caller. */
static int set_up(void **state)
{
	static struct sprof_profile_stack stacks[4];
	const struct sprof_build_thread thread = {.pid = 7, .tid = 7};
	uint32_t index;

	profile = sprof_build_create();
	assert_non_null(profile);
	profile->kinds.has_times = false;
	assert_true(sprof_build_thread(profile, &thread, &index));
	free(profile->stacks);
	profile->stacks = stacks;
	profile->stack_count = 0;
	add_stack(SPROF_PROFILE_ROOT, SPROF_PROFILE_NONE);
	add_stack(SPROF_PROFILE_ROOT, 0);
	add_stack(CALLER, 1);
	add_stack(SPROF_PROFILE_ROOT, 1);
	assert_true(sprof_heap_process(&books, &process));
	return 0;
}

static int tear_down(void **state)
{
	profile->stacks = NULL;
	sprof_profile_destroy(profile);
	sprof_heap_finish(&books);
	return 0;
}

static void allocate(uint32_t thread, uint32_t stack, uint64_t size, uint64_t time_ns)
{
	static uint64_t address;
	struct sprof_heap_request request = {
		.time_ns = time_ns, .address = ++address, .size = size, .process = process};

	assert_true(sprof_heap_site(&books, thread, stack, &request.site));
	assert_true(sprof_heap_allocate(&books, &request));
}

static void rows_are_of_callers(void **state)
{
	struct sprof_heap_rows rows;

	allocate(0, MALLOC, 100, 10);
	allocate(1, MALLOC, 50, 900);
	allocate(0, OTHER, 70, 20);
	assert_true(sprof_heap_rows_create(&books, profile, NOW, 500, &rows));
	assert_int_equal(rows.count, 2);
	sprof_heap_rows_sort(&rows, SPROF_HEAP_ALLOC_SPACE);
	assert_int_equal(rows.items[0].stack, CALLER);
	assert_int_equal(rows.items[0].sums[SPROF_HEAP_ALLOCATED].bytes, 150);
	assert_int_equal(rows.items[0].at_peak.objects, 2);
	assert_int_equal(rows.items[0].old.bytes, 100);
	assert_int_equal(rows.items[0].oldest_ns, 990);
	assert_int_equal(rows.items[1].stack, OTHER);
	assert_int_equal(rows.old.objects, 2);
	sprof_heap_rows_finish(&rows);
}

static void orders(void **state)
{
	struct sprof_heap_rows rows;

	allocate(0, MALLOC, 1, 990);
	allocate(0, MALLOC, 1, 10);
	allocate(0, OTHER, 70, 950);
	assert_true(sprof_heap_rows_create(&books, profile, NOW, 500, &rows));
	sprof_heap_rows_sort(&rows, SPROF_HEAP_INUSE_OBJECTS);
	assert_int_equal(rows.items[0].stack, CALLER);
	sprof_heap_rows_sort(&rows, SPROF_HEAP_PEAK_SPACE);
	assert_int_equal(rows.items[0].stack, OTHER);
	sprof_heap_rows_sort_old(&rows);
	assert_int_equal(rows.items[0].stack, CALLER);
	sprof_heap_rows_finish(&rows);
}

/* What is left by a process is as old as it was at its end. */
static void ended_processes(void **state)
{
	struct sprof_heap_rows rows;

	allocate(0, MALLOC, 100, 10);
	sprof_heap_process_end(&books, process, 40);
	assert_true(sprof_heap_rows_create(&books, profile, NOW, 0, &rows));
	assert_int_equal(rows.items[0].oldest_ns, 30);
	assert_int_equal(sprof_heap_unfreed(rows.items[0].sums).bytes, 100);
	assert_int_equal(sprof_heap_row_figure(&rows.items[0], SPROF_HEAP_INUSE_SPACE).bytes, 100);
	sprof_heap_rows_finish(&rows);
}

static uint64_t value_of(const char *name)
{
	enum sprof_weight weight;

	assert_true(sprof_profile_find_weight(profile, name, &weight));
	return sprof_profile_further(profile, 0, (size_t)weight - SPROF_WEIGHT_FURTHER);
}

static void kinds_of_a_profile(void **state)
{
	allocate(0, MALLOC, 100, 10);
	allocate(0, MALLOC, 20, 10);
	assert_true(sprof_heap_free(&books, 1, 30, true));
	sprof_heap_begin_profile(profile, SPROF_HEAP_INUSE_SPACE, false);
	assert_true(sprof_heap_to_profile(&books, profile));
	assert_int_equal(profile->row_count, 1);
	assert_int_equal(profile->rows[0].stack, CALLER);
	assert_int_equal(profile->rows[0].metrics.further, 100);
	assert_int_equal(value_of("alloc_objects"), 2);
	assert_int_equal(value_of("alloc_space"), 120);
	assert_int_equal(value_of("inuse_objects"), 1);
	assert_int_equal(value_of("inuse_space"), 100);
	assert_int_equal(value_of("peak_objects"), 2);
	assert_int_equal(value_of("peak_space"), 120);
	assert_int_equal(value_of("freed_objects"), 1);
	assert_int_equal(value_of("freed_space"), 20);
	assert_int_equal(value_of("temporary_objects"), 1);
	assert_int_equal(value_of("temporary_space"), 20);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

TEST_MAIN("heap-sites")
{
	const struct CMUnitTest tests[] = {
		TEST(rows_are_of_callers),
		TEST(orders),
		TEST(ended_processes),
		TEST(kinds_of_a_profile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
