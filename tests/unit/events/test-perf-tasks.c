/*
 * events/perf-tasks: births, names, ends and losses become records of the scheduler.
 */
#include "events/perf/tasks.h"

#include <string.h>

#include "tests/unit/events/taken.h"

enum { PID = 100 };

static struct taken made_of(struct sprof_perf_record record)
{
	struct sprof_sched_order order = {0};
	struct taken taken = {0};

	sprof_perf_tasks_add(&order, PID, &record);
	sprof_sched_order_release(&order, UINT64_MAX, take, &taken);
	sprof_sched_order_finish(&order);
	return taken;
}

static void threads_of_the_process(void **state)
{
	struct taken taken = made_of((struct sprof_perf_record){
		.kind = SPROF_PERF_FORK, .pid = PID, .tid = 7, .parent = 6, .time_ns = 5});

	assert_int_equal(taken.count, 1);
	assert_int_equal(taken.items[0].kind, SPROF_SCHED_BIRTH);
	assert_int_equal(taken.items[0].tid, 7);
	assert_int_equal(taken.items[0].parent, 6);
	assert_int_equal(taken.items[0].time_ns, 5);
	taken = made_of((struct sprof_perf_record){
		.kind = SPROF_PERF_NAME, .pid = PID, .tid = 7, .name = "worker"});
	assert_int_equal(taken.items[0].kind, SPROF_SCHED_NAME);
	assert_string_equal(taken.items[0].name, "worker");
	taken = made_of((struct sprof_perf_record){.kind = SPROF_PERF_NAME,
		.pid = PID,
		.tid = PID,
		.name = "program",
		.is_exec = true});
	assert_int_equal(taken.items[0].kind, SPROF_SCHED_EXEC);
	assert_string_equal(taken.items[0].name, "program");
	taken = made_of((struct sprof_perf_record){.kind = SPROF_PERF_EXIT, .pid = PID, .tid = 7});
	assert_int_equal(taken.items[0].kind, SPROF_SCHED_EXIT);
}

static void processes_that_it_starts(void **state)
{
	const struct taken taken = made_of((struct sprof_perf_record){
		.kind = SPROF_PERF_FORK, .pid = PID + 1, .tid = PID + 1, .parent = 6});

	assert_int_equal(taken.count, 1);
	assert_int_equal(taken.items[0].kind, SPROF_SCHED_CHILD);
	assert_int_equal(taken.items[0].tid, PID + 1);
	assert_int_equal(taken.items[0].parent, 6);
}

static void others_are_left_out(void **state)
{
	assert_int_equal(made_of((struct sprof_perf_record){
					 .kind = SPROF_PERF_EXIT, .pid = PID + 1, .tid = 7})
				 .count,
		0);
	assert_int_equal(
		made_of((struct sprof_perf_record){.kind = SPROF_PERF_SWITCH, .pid = PID, .tid = 7})
			.count,
		0);
}

static void a_loss_is_a_gap(void **state)
{
	struct taken taken = made_of((struct sprof_perf_record){
		.kind = SPROF_PERF_LOST, .since_ns = 3, .time_ns = 9, .lost = 4});

	assert_int_equal(taken.count, 2);
	assert_int_equal(taken.items[0].kind, SPROF_SCHED_GAP_BEGIN);
	assert_int_equal(taken.items[0].time_ns, 3);
	assert_int_equal(taken.items[1].kind, SPROF_SCHED_GAP_END);
	assert_int_equal(taken.items[1].time_ns, 9);
	assert_int_equal(taken.items[1].lost, 4);
}

TEST_MAIN("perf-tasks")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_of_the_process),
		cmocka_unit_test(processes_that_it_starts),
		cmocka_unit_test(others_are_left_out),
		cmocka_unit_test(a_loss_is_a_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
