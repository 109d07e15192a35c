/*
 * events/sched-threads: the threads of this very process.
 */
#include "events/sched/threads.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/unit/events/taken.h"

static void lists_and_reads(void **state)
{
	struct sprof_sched_order order = {0};
	struct sprof_tids tids = {0};
	struct taken taken = {0};

	assert_true(sprof_tids_list(getpid(), &tids));
	assert_int_equal(tids.count, 1);
	assert_int_equal(tids.items[0], getpid());
	sprof_sched_threads_read(&order, getpid(), &tids);
	sprof_sched_order_release(&order, UINT64_MAX, take, &taken);
	assert_int_equal(taken.count, 1);
	assert_int_equal(taken.items[0].kind, SPROF_SCHED_READING);
	assert_int_equal(taken.items[0].tid, getpid());
	assert_true(taken.items[0].slices > 0);
	sprof_sched_order_finish(&order);
	free(tids.items);
}

static void nobody_has_the_highest_id(void **state)
{
	struct sprof_tids tids = {0};

	assert_false(sprof_tids_list(INT32_MAX, &tids));
	free(tids.items);
}

static void takes_in_with_names(void **state)
{
	struct sprof_delays delays = {0};
	struct sprof_tids tids = {0};

	prctl(PR_SET_NAME, "some test");
	assert_true(sprof_tids_list(getpid(), &tids));
	sprof_sched_threads_add(&delays, getpid(), &tids);
	assert_int_equal(delays.count, 1);
	assert_string_equal(sprof_delays_find(&delays, getpid())->name, "some test");
	assert_true(sprof_delays_find(&delays, getpid())->sums.spoiled);
	sprof_delays_finish(&delays);
	free(tids.items);
}

static void differences_are_births_and_ends(void **state)
{
	struct sprof_delays delays = {.options.per_thread = true};
	struct sprof_sched_order order = {0};
	struct sprof_tids tids = {0};
	struct taken taken = {0};

	sprof_delays_add_thread(&delays, INT32_MAX, "ended", false);
	assert_true(sprof_tids_list(getpid(), &tids));
	sprof_sched_threads_compare(&order, &delays, getpid(), &tids);
	sprof_sched_order_release(&order, UINT64_MAX, take, &taken);
	assert_int_equal(taken.count, 3);
	assert_int_equal(taken.items[0].kind, SPROF_SCHED_BIRTH);
	assert_int_equal(taken.items[0].tid, getpid());
	assert_int_equal(taken.items[1].kind, SPROF_SCHED_NAME);
	assert_int_equal(taken.items[2].kind, SPROF_SCHED_EXIT);
	assert_int_equal(taken.items[2].tid, INT32_MAX);
	sprof_sched_order_finish(&order);
	sprof_delays_finish(&delays);
	free(tids.items);
}

TEST_MAIN("sched-threads")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_reads),
		cmocka_unit_test(nobody_has_the_highest_id),
		cmocka_unit_test(takes_in_with_names),
		cmocka_unit_test(differences_are_births_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
