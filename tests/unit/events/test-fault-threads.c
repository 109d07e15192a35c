/*
 * events/fault-threads: each thread's page faults add up to what the kernel has counted.
 */
#include "events/faults/threads.h"

#include "tests/unit/check.h"

enum { ONE = 11, OTHER = 12 };

static void add(struct sprof_fault_threads *threads, uint32_t id, uint64_t minor, uint64_t major)
{
	assert_true(
		sprof_fault_threads_add(threads, id, &(struct sprof_fault_count){minor, major}));
}

static void learn(struct sprof_fault_threads *threads, uint32_t id, uint64_t minor, uint64_t major)
{
	sprof_fault_threads_learn(threads, id, &(struct sprof_fault_count){minor, major});
}

/* What of a record's faults is counted. */
static uint64_t saw(
	struct sprof_fault_threads *threads, uint32_t id, uint64_t minor, uint64_t major)
{
	struct sprof_fault_count count = {minor, major};

	sprof_fault_threads_saw(threads, id, &count);
	return sprof_fault_count_sum(&count);
}

static struct sprof_fault_balance end(
	struct sprof_fault_threads *threads, uint32_t id, uint64_t minor, uint64_t major)
{
	const struct sprof_fault_count last = {minor, major};
	struct sprof_fault_balance balance;

	assert_true(sprof_fault_threads_end(threads, id, &last, &balance));
	return balance;
}

static void what_was_before_does_not_count(void **state)
{
	struct sprof_fault_threads threads = {0};
	struct sprof_fault_balance balance;

	add(&threads, ONE, 100, 7);
	learn(&threads, ONE, 103, 8);
	assert_int_equal(saw(&threads, ONE, 2, 0), 2);
	assert_int_equal(saw(&threads, ONE, 0, 1), 1);
	balance = end(&threads, ONE, 110, 9);
	assert_int_equal(balance.all.minor, 10);
	assert_int_equal(balance.all.major, 2);
	assert_int_equal(balance.unseen.minor, 8);
	assert_int_equal(balance.unseen.major, 1);
	sprof_fault_threads_finish(&threads);
}

/* Two events may tell of one fault. */
static void records_have_no_more_than_the_kernel(void **state)
{
	struct sprof_fault_threads threads = {0};
	struct sprof_fault_balance balance;

	add(&threads, ONE, 0, 0);
	assert_false(sprof_fault_threads_have_room(
		&threads, ONE, &(struct sprof_fault_count){.minor = 1}));
	learn(&threads, ONE, 10, 0);
	assert_true(sprof_fault_threads_have_room(
		&threads, ONE, &(struct sprof_fault_count){.minor = 10}));
	assert_int_equal(saw(&threads, ONE, 8, 0), 8);
	assert_int_equal(saw(&threads, ONE, 8, 0), 2);
	assert_int_equal(saw(&threads, ONE, 8, 0), 0);
	balance = end(&threads, ONE, 10, 0);
	assert_int_equal(balance.all.minor, 10);
	assert_int_equal(sprof_fault_count_sum(&balance.unseen), 0);
	sprof_fault_threads_finish(&threads);
}

/* Any order of births and ends, with the sums kept aside. */
static void records_are_trusted_where_the_kernel_tells_no_more(void **state)
{
	struct sprof_fault_threads threads = {0};
	const struct sprof_fault_count more = {30, 0};
	struct sprof_fault_count last;

	add(&threads, ONE, 1000, 5);
	learn(&threads, ONE, 1020, 5);
	assert_int_equal(saw(&threads, ONE, 20, 0), 20);
	sprof_fault_threads_trust(&threads, ONE, &more);
	assert_int_equal(saw(&threads, ONE, 30, 0), 30);
	last = sprof_fault_threads_known(&threads, ONE);
	assert_int_equal(last.minor, 1050);
	assert_int_equal(last.major, 5);
	assert_int_equal(end(&threads, ONE, last.minor, last.major).unseen.minor, 0);
	sprof_fault_threads_finish(&threads);
}

static void threads_come_and_go(void **state)
{
	enum { THREADS = 40, ROUNDS = 4000 };
	struct sprof_fault_threads threads = {0};
	uint64_t seen[THREADS] = {0}, seed = 5;

	for (int i = 0; i < ROUNDS; i++) {
		const uint32_t id =
			(uint32_t)((seed = seed * UINT64_C(6364136223846793005) + 1442695) >> 33) %
			THREADS;
		struct sprof_fault_balance balance;

		if (!sprof_fault_threads_have(&threads, id)) {
			add(&threads, id, 1000, 0);
			learn(&threads, id, 1100, 0);
			seen[id] = 0;
		} else if (seed >> 40 & 3) {
			seen[id] += saw(&threads, id, 3, 0);
		} else {
			balance = end(&threads, id, 1100, 0);
			assert_int_equal(balance.unseen.minor + seen[id], 100);
		}
	}
	sprof_fault_threads_finish(&threads);
}

static void others_are_dropped(void **state)
{
	struct sprof_fault_threads threads = {0};
	struct sprof_fault_balance balance;
	const struct sprof_fault_count last = {0};

	add(&threads, ONE, 0, 0);
	assert_int_equal(saw(&threads, OTHER, 5, 0), 0);
	assert_false(sprof_fault_threads_end(&threads, OTHER, &last, &balance));
	end(&threads, ONE, 0, 0);
	assert_false(sprof_fault_threads_have(&threads, ONE));
	sprof_fault_threads_finish(&threads);
}

TEST_MAIN("fault-threads")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_before_does_not_count),
		cmocka_unit_test(records_have_no_more_than_the_kernel),
		cmocka_unit_test(records_are_trusted_where_the_kernel_tells_no_more),
		cmocka_unit_test(threads_come_and_go),
		cmocka_unit_test(others_are_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
