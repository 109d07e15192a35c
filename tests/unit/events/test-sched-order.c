/*
 * events/sched-order: records of several sources become one stream in order of time.
 */
#include "events/perf/sched-order.h"

#include <string.h>

#include "tests/unit/events/taken.h"

static void add(struct sprof_sched_order *order, uint64_t time, pid_t tid)
{
	const struct sprof_sched_record record = {
		.time_ns = time, .tid = tid, .kind = SPROF_SCHED_ON};

	sprof_sched_order_add(order, &record);
}

static void sorts_by_time(void **state)
{
	struct sprof_sched_order order = {0};
	struct taken taken = {0};

	for (unsigned i = 0; i < 50; i++)
		add(&order, (i * 37) % 50, (pid_t)i);
	sprof_sched_order_release(&order, UINT64_MAX, take, &taken);
	assert_int_equal(taken.count, 50);
	for (unsigned i = 0; i < 50; i++)
		assert_int_equal(taken.items[i].time_ns, i);
	sprof_sched_order_finish(&order);
}

static void keeps_what_is_younger(void **state)
{
	struct sprof_sched_order order = {0};
	struct taken taken = {0};

	add(&order, 10, 1);
	add(&order, 30, 2);
	add(&order, 20, 3);
	sprof_sched_order_release(&order, 20, take, &taken);
	assert_int_equal(taken.count, 1);
	add(&order, 25, 4);
	sprof_sched_order_release(&order, 40, take, &taken);
	assert_int_equal(taken.count, 4);
	assert_int_equal(taken.items[1].tid, 3);
	assert_int_equal(taken.items[2].tid, 4);
	assert_int_equal(taken.items[3].tid, 2);
	sprof_sched_order_finish(&order);
}

static void the_same_time_keeps_its_order(void **state)
{
	struct sprof_sched_order order = {0};
	struct taken taken = {0};

	add(&order, 10, 1);
	sprof_sched_order_release(&order, 5, take, &taken);
	for (pid_t tid = 2; tid < 40; tid++)
		add(&order, 10, tid);
	sprof_sched_order_release(&order, 11, take, &taken);
	for (size_t i = 0; i < 39; i++)
		assert_int_equal(taken.items[i].tid, i + 1);
	sprof_sched_order_finish(&order);
}

static void a_late_record_is_a_gap(void **state)
{
	struct sprof_sched_order order = {0};
	struct taken taken = {0};

	add(&order, 10, 1);
	sprof_sched_order_release(&order, 20, take, &taken);
	add(&order, 15, 2);
	sprof_sched_order_release(&order, 30, take, &taken);
	assert_int_equal(taken.count, 3);
	assert_int_equal(taken.items[1].kind, SPROF_SCHED_GAP_BEGIN);
	assert_int_equal(taken.items[1].time_ns, 20);
	assert_int_equal(taken.items[2].kind, SPROF_SCHED_GAP_END);
	assert_int_equal(taken.items[2].lost, 1);
	assert_int_equal(order.late, 1);
	sprof_sched_order_finish(&order);
}

static void a_late_gap_begins_now(void **state)
{
	const struct sprof_sched_record begin = {.time_ns = 5, .kind = SPROF_SCHED_GAP_BEGIN};
	struct sprof_sched_order order = {0};
	struct taken taken = {0};

	sprof_sched_order_release(&order, 20, take, &taken);
	sprof_sched_order_add(&order, &begin);
	sprof_sched_order_release(&order, 30, take, &taken);
	assert_int_equal(taken.count, 1);
	assert_int_equal(taken.items[0].kind, SPROF_SCHED_GAP_BEGIN);
	assert_int_equal(taken.items[0].time_ns, 20);
	assert_int_equal(order.late, 0);
	sprof_sched_order_finish(&order);
}

TEST_MAIN("sched-order")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_by_time),
		cmocka_unit_test(keeps_what_is_younger),
		cmocka_unit_test(the_same_time_keeps_its_order),
		cmocka_unit_test(a_late_record_is_a_gap),
		cmocka_unit_test(a_late_gap_begins_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
