/*
 * The ledger of a thread's time: whose ns an interval's are, and that none is lost or given twice.
 */
#include "sampler/account/ledger.h"

#include <stdlib.h>

#include "tests/unit/check.h"

static struct ledger begun(void)
{
	const struct ledger_look look = {1000, {100, 50, 7}};
	struct ledger ledger;

	sprof_ledger_begin(&ledger, &look);
	return ledger;
}

/* Reads after that wall, CPU and run-queue time and that number of turns on a CPU. */
static void pass(struct ledger *ledger, uint64_t ns, struct sprof_proc_schedstat more, bool slept,
	bool sleeps)
{
	struct ledger_look look = ledger->last;

	look.time_ns += ns;
	look.figures.cpu_ns += more.cpu_ns;
	look.figures.runq_ns += more.runq_ns;
	look.figures.timeslices += more.timeslices;
	sprof_ledger_read(ledger, &look, slept, sleeps);
}

static void what_was_before_is_left_out(void **state)
{
	struct ledger ledger = begun();

	assert_int_equal(sprof_ledger_take(&ledger.running_ns, UINT64_MAX), 0);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 1), 0);
	assert_int_equal(sprof_ledger_take(&ledger.queue_ns, UINT64_MAX), 0);
}

/* A look that comes late finds a longer interval. */
static void cpu_time_is_kept_until_it_is_taken(void **state)
{
	struct ledger ledger = begun();

	pass(&ledger, 100, (struct sprof_proc_schedstat){30}, false, false);
	pass(&ledger, 100, (struct sprof_proc_schedstat){50}, false, false);
	assert_int_equal(sprof_ledger_take(&ledger.running_ns, 30), 30);
	assert_int_equal(sprof_ledger_take(&ledger.running_ns, UINT64_MAX), 50);
	assert_int_equal(sprof_ledger_take(&ledger.running_ns, UINT64_MAX), 0);
}

/* The kernel adds CPU time late, and a host takes some: neither is sleep. */
static void who_had_no_other_turn_has_not_slept(void **state)
{
	struct ledger ledger = begun();

	pass(&ledger, 100, (struct sprof_proc_schedstat){0}, false, false);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 1), 0);
	pass(&ledger, 100, (struct sprof_proc_schedstat){40, 10, 1}, false, false);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 1), 50);
}

static void a_sleep_is_all_that_has_passed(void **state)
{
	struct ledger ledger = begun();

	pass(&ledger, 100, (struct sprof_proc_schedstat){0}, true, true);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 1), 100);
	assert_int_equal(sprof_ledger_take(&ledger.running_ns, UINT64_MAX), 0);
}

/* The first of two sleeps that were seen gets half of the time between the looks. No time is left over. */
static void two_sleeps_share_what_is_between_them(void **state)
{
	struct ledger ledger = begun();

	pass(&ledger, 100, (struct sprof_proc_schedstat){15, 4, 2}, true, true);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 2), 40);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 1), 41);
	/* It had two turns: only one of them began with the sleep. */
	assert_int_equal(sprof_ledger_take(&ledger.queue_ns, UINT64_MAX), 2);
	assert_int_equal(sprof_ledger_take(&ledger.running_ns, UINT64_MAX), 15);
}

static void a_wait_for_a_cpu_in_the_midst_of_work_is_no_sleeps(void **state)
{
	struct ledger ledger = begun();

	pass(&ledger, 100, (struct sprof_proc_schedstat){40, 60, 3}, false, false);
	assert_int_equal(sprof_ledger_take(&ledger.queue_ns, UINT64_MAX), 0);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 1), 0);
}

/* The kernel adds a wait for a CPU when it is over: until then it seemed to be sleep. */
static void what_was_given_too_early_is_taken_off_later(void **state)
{
	struct ledger ledger = begun();

	pass(&ledger, 100, (struct sprof_proc_schedstat){0}, true, true);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 1), 100);
	pass(&ledger, 20, (struct sprof_proc_schedstat){5, 60, 1}, true, false);
	assert_int_equal(sprof_ledger_take(&ledger.queue_ns, UINT64_MAX), 60);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 1), 0);
	pass(&ledger, 100, (struct sprof_proc_schedstat){0}, true, true);
	assert_int_equal(sprof_ledger_take_asleep(&ledger, 1), 55);
}

static void it_is_known_when_the_thread_ran(void **state)
{
	struct ledger ledger = begun();

	pass(&ledger, 100, (struct sprof_proc_schedstat){5}, false, false);
	assert_int_equal(ledger.ran_ns, 1100);
	pass(&ledger, 100, (struct sprof_proc_schedstat){0}, false, false);
	assert_int_equal(ledger.ran_ns, 1100);
	pass(&ledger, 100, (struct sprof_proc_schedstat){0, 0, 1}, false, false);
	assert_int_equal(ledger.ran_ns, 1300);
}

/* However it is read and taken, the sums are the kernel's. */
static void sums_are_the_kernels(void **state)
{
	unsigned short seed[3] = {1, 2, 3};
	struct ledger ledger = begun();
	const struct ledger_look first = ledger.last;
	uint64_t running = 0, asleep = 0, queue = 0;

	for (int i = 0; i < 100000; i++) {
		const struct sprof_proc_schedstat more = {(uint64_t)(nrand48(seed) % 100),
			(uint64_t)(nrand48(seed) % 100), (uint64_t)(nrand48(seed) % 3)};

		pass(&ledger, more.cpu_ns + more.runq_ns + (uint64_t)(nrand48(seed) % 100), more,
			true, true);
		if (nrand48(seed) % 2)
			running += sprof_ledger_take(&ledger.running_ns, UINT64_MAX);
		if (nrand48(seed) % 2)
			asleep += sprof_ledger_take_asleep(&ledger, 1 + nrand48(seed) % 2);
		queue += sprof_ledger_take(&ledger.queue_ns, UINT64_MAX);
	}
	running += sprof_ledger_take(&ledger.running_ns, UINT64_MAX);
	asleep += sprof_ledger_take_asleep(&ledger, 1);
	assert_int_equal(running, ledger.last.figures.cpu_ns - first.figures.cpu_ns);
	assert_int_equal(asleep,
		ledger.last.time_ns - first.time_ns - running -
			(ledger.last.figures.runq_ns - first.figures.runq_ns));
	assert_true(queue <= ledger.last.figures.runq_ns - first.figures.runq_ns);
}

TEST_MAIN("ledger")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_before_is_left_out),
		cmocka_unit_test(cpu_time_is_kept_until_it_is_taken),
		cmocka_unit_test(who_had_no_other_turn_has_not_slept),
		cmocka_unit_test(a_sleep_is_all_that_has_passed),
		cmocka_unit_test(two_sleeps_share_what_is_between_them),
		cmocka_unit_test(a_wait_for_a_cpu_in_the_midst_of_work_is_no_sleeps),
		cmocka_unit_test(what_was_given_too_early_is_taken_off_later),
		cmocka_unit_test(it_is_known_when_the_thread_ran),
		cmocka_unit_test(sums_are_the_kernels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
