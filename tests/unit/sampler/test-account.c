/*
 * sampler/account: whatever the kernel's figures do, handed-out time adds up and is never handed
 * out twice.
 */
#include "sampler/account/account.h"

#include <unistd.h>

#include "base/clock.h"
#include "tests/unit/check.h"

static uint64_t next_random(uint64_t *random, uint64_t limit)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (*random >> 20) % limit;
}

static void add(struct sprof_times *sum, const struct sprof_times *times)
{
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		sum->ns[i] += times->ns[i];
}

static uint64_t total(const struct sprof_times *times)
{
	uint64_t sum = 0;

	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		sum += times->ns[i];
	return sum;
}

static uint64_t cpu_of(const struct sprof_times *times)
{
	return times->ns[SPROF_TIME_USER] + times->ns[SPROF_TIME_SYS];
}

static struct sprof_account start_at(const struct sprof_figures *figures)
{
	struct sprof_account account;

	sprof_account_init(&account, figures);
	return account;
}

/* That many looks find it so, and its samples explain as many ns. */
static void see(struct sprof_account *account, enum sprof_state state, uint64_t count)
{
	sprof_account_weigh(account, state, count);
	while (count--)
		sprof_account_look(account, state, account->looked_ns, 1);
}

static void one_window(void **state)
{
	const struct sprof_figures start = {1000, 100, 10, 5, 5}, now = {2000, 500, 110, 8, 6};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(&account, &now, true);

	/* 400 ns of CPU, split 3 to 1; 100 ns ready; the rest of 1000 ns is blocked. */
	assert_int_equal(times.ns[SPROF_TIME_USER], 300);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 100);
	assert_int_equal(times.ns[SPROF_TIME_RUNQ], 100);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 500);
}

static void nothing_is_handed_out_twice(void **state)
{
	const struct sprof_figures start = {0}, now = {2000, 500, 110, 8, 6};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(&account, &now, true);

	assert_int_equal(total(&times), 2000);
	times = sprof_account_advance(&account, &now, true);
	assert_int_equal(total(&times), 0);
}

/* Without a tick of either kind, nothing says that it was in the kernel. */
static void time_without_ticks_is_user_time(void **state)
{
	const struct sprof_figures start = {0}, now = {1000, 700, 0, 0, 0};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(&account, &now, true);

	assert_int_equal(times.ns[SPROF_TIME_USER], 700);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 0);
}

static void one_sided_splits(void **state)
{
	const struct sprof_figures start = {0, 0, 0, 50, 50};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(
		&account, &(struct sprof_figures){1000, 700, 0, 50, 51}, true);

	assert_int_equal(times.ns[SPROF_TIME_SYS], 700);
	account = start_at(&start);
	times = sprof_account_advance(
		&account, &(struct sprof_figures){1000, 700, 0, 51, 50}, true);
	assert_int_equal(times.ns[SPROF_TIME_USER], 700);
}

/*
 * The split over the whole run moves. Time already given stays, and the CPU time stays exact in
 * all.
 */
static void a_split_that_moves_takes_nothing_back(void **state)
{
	const struct sprof_figures start = {0};
	struct sprof_account account = start_at(&start);
	struct sprof_times times =
		sprof_account_advance(&account, &(struct sprof_figures){1000, 1000, 0, 1, 0}, true);

	assert_int_equal(times.ns[SPROF_TIME_USER], 1000);
	/* One tick in four is user's now: 500 of 2000 ns, but 1000 are out. */
	times = sprof_account_advance(&account, &(struct sprof_figures){2000, 2000, 0, 1, 3}, true);
	assert_int_equal(times.ns[SPROF_TIME_USER], 0);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 1000);
	/* And back: 3 in 4 are user's, 3000 of 4000 ns; 1000 of system are out, so it fits. */
	times = sprof_account_advance(&account, &(struct sprof_figures){4000, 4000, 0, 9, 3}, true);
	assert_int_equal(times.ns[SPROF_TIME_USER], 2000);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 0);
	/* All but one of a thousand are user's: 1000 of system can't be taken back. */
	times = sprof_account_advance(
		&account, &(struct sprof_figures){5000, 5000, 0, 999, 3}, true);
	assert_int_equal(times.ns[SPROF_TIME_USER], 1000);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 0);
}

/* A thread's figures as time goes on: consistent, like the kernel's for a thread off the CPU. */
static void live(struct sprof_figures *figures, uint64_t *random)
{
	uint64_t cpu = next_random(random, 4) ? next_random(random, 20000000) : 0;
	uint64_t runq = next_random(random, 3) ? 0 : next_random(random, 5000000);
	uint64_t wait = next_random(random, 2) ? next_random(random, 90000000) : 0;

	figures->time_ns += cpu + runq + wait;
	figures->cpu_ns += cpu;
	figures->runq_ns += runq;
	/* The kernel's ticks are rough: at best their sum is right. */
	figures->user_ticks += next_random(random, 3);
	figures->system_ticks += next_random(random, 2);
}

static void check_sums(const struct sprof_times *sum, const struct sprof_figures *start,
	const struct sprof_figures *now)
{
	assert_true(total(sum) == now->time_ns - start->time_ns);
	assert_true(cpu_of(sum) == now->cpu_ns - start->cpu_ns);
	assert_true(sum->ns[SPROF_TIME_RUNQ] == now->runq_ns - start->runq_ns);
}

static void consistent_figures_add_up_at_every_step(void **state)
{
	for (uint64_t seed = 1; seed < 200; seed++) {
		struct sprof_figures start = {seed * 1000, seed * 17, seed * 3, seed, seed / 2};
		struct sprof_figures now = start;
		struct sprof_account account = start_at(&start);
		struct sprof_times sum = {0};
		uint64_t random = seed;

		for (int i = 0; i < 300; i++) {
			struct sprof_times times;

			live(&now, &random);
			times = sprof_account_advance(&account, &now, true);
			add(&sum, &times);
			check_sums(&sum, &start, &now);
		}
	}
}

/* With wrong input, still no class is given more than its figure has reached. */
static void figures_that_go_back_hand_out_nothing(void **state)
{
	uint64_t random = 1, most_cpu = 0, most_runq = 0;
	const struct sprof_figures start = {0};
	struct sprof_account account = start_at(&start);
	struct sprof_times sum = {0};

	for (int i = 0; i < 20000; i++) {
		struct sprof_figures now = {next_random(&random, 1 << 30),
			next_random(&random, 1 << 28), next_random(&random, 1 << 28),
			next_random(&random, 1000), next_random(&random, 1000)};
		struct sprof_times times = sprof_account_advance(&account, &now, true);

		most_cpu = now.cpu_ns > most_cpu ? now.cpu_ns : most_cpu;
		most_runq = now.runq_ns > most_runq ? now.runq_ns : most_runq;
		add(&sum, &times);
		assert_true(cpu_of(&sum) == most_cpu);
		assert_true(sum.ns[SPROF_TIME_RUNQ] <= most_runq);
		assert_true(sum.ns[SPROF_TIME_SLEEP] < 1 << 30);
	}
}

static void huge_figures_do_not_overflow(void **state)
{
	const struct sprof_figures start = {0};
	const struct sprof_figures now = {
		UINT64_MAX, UINT64_MAX / 2, UINT64_MAX / 4, UINT64_MAX / 4, UINT64_MAX / 4};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(&account, &now, true);

	assert_true(total(&times) == UINT64_MAX);
	assert_true(times.ns[SPROF_TIME_USER] == UINT64_MAX / 4);
}

static void figures_come_from_schedstat(void **state)
{
	const struct sprof_proc_schedstat schedstat = {1234567, 89, 3};
	const struct sprof_proc_stat stat = {.user_ticks = 7, .system_ticks = 8};
	struct sprof_figures figures = sprof_figures_make(55, &schedstat, &stat);

	assert_int_equal(figures.time_ns, 55);
	assert_int_equal(figures.cpu_ns, 1234567);
	assert_int_equal(figures.runq_ns, 89);
	assert_int_equal(figures.user_ticks, 7);
	assert_int_equal(figures.system_ticks, 8);
}

static void without_schedstat_ticks_are_the_cpu_time(void **state)
{
	const struct sprof_proc_schedstat missing = {0};
	const struct sprof_proc_stat stat = {.user_ticks = 7, .system_ticks = 8};
	uint64_t tick_ns = SPROF_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	struct sprof_figures now = sprof_figures_make(20 * tick_ns, &missing, &stat);
	const struct sprof_figures start = {0};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(&account, &now, true);

	assert_int_equal(times.ns[SPROF_TIME_USER], 7 * tick_ns);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 8 * tick_ns);
	assert_int_equal(times.ns[SPROF_TIME_RUNQ], 0);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 5 * tick_ns);
}

static void blocked_time_goes_by_what_was_seen(void **state)
{
	const struct sprof_figures start = {0};
	struct sprof_account account = start_at(&start);
	struct sprof_times times;

	for (int i = 0; i < 10; i++)
		see(&account,
			i < 2           ? SPROF_STATE_SLEEP
				: i < 5 ? SPROF_STATE_DISK
					: SPROF_STATE_STOPPED,
			1);
	see(&account, SPROF_STATE_USER, 1);
	times = sprof_account_advance(&account, &(struct sprof_figures){.time_ns = 1000}, true);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 200);
	assert_int_equal(times.ns[SPROF_TIME_DISK], 300);
	assert_int_equal(times.ns[SPROF_TIME_STOPPED], 500);
	/* Without a sample, time waits for one; at the end it goes where the last sample was. */
	times = sprof_account_advance(&account, &(struct sprof_figures){.time_ns = 1300}, false);
	assert_int_equal(total(&times), 0);
	times = sprof_account_advance(&account, &(struct sprof_figures){.time_ns = 1700}, true);
	assert_int_equal(times.ns[SPROF_TIME_STOPPED], 700);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP] + times.ns[SPROF_TIME_DISK], 0);
}

static void disk_time_is_the_kernels_where_it_counts(void **state)
{
	const uint64_t tick_ns = SPROF_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	const struct sprof_figures start = {.disk_ticks = 5};
	struct sprof_account account = start_at(&start);
	struct sprof_times times;

	see(&account, SPROF_STATE_SLEEP, 1);
	times = sprof_account_advance(
		&account, &(struct sprof_figures){.time_ns = 10 * tick_ns, .disk_ticks = 9}, true);
	assert_int_equal(times.ns[SPROF_TIME_DISK], 4 * tick_ns);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 6 * tick_ns);
	/* Never more than there is; the rest comes later. */
	times = sprof_account_advance(
		&account, &(struct sprof_figures){.time_ns = 11 * tick_ns, .disk_ticks = 12}, true);
	assert_int_equal(times.ns[SPROF_TIME_DISK], tick_ns);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 0);
	times = sprof_account_advance(
		&account, &(struct sprof_figures){.time_ns = 20 * tick_ns, .disk_ticks = 12}, true);
	assert_int_equal(times.ns[SPROF_TIME_DISK], 2 * tick_ns);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 7 * tick_ns);
}

/* Disk time that did not fit is still owed when only the time is read. */
static void a_sleeper_has_the_disk_time_that_is_owed(void **state)
{
	const uint64_t tick_ns = SPROF_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	const struct sprof_figures start = {0};
	struct sprof_account account = start_at(&start);
	struct sprof_times times;

	see(&account, SPROF_STATE_SLEEP, 1);
	times = sprof_account_advance(
		&account, &(struct sprof_figures){.time_ns = 5 * tick_ns, .disk_ticks = 7}, true);
	assert_int_equal(times.ns[SPROF_TIME_DISK], 5 * tick_ns);
	see(&account, SPROF_STATE_SLEEP, 1);
	times = sprof_account_sleep(
		&account, &(struct sprof_figures){.time_ns = 10 * tick_ns, .disk_ticks = 0});
	assert_int_equal(times.ns[SPROF_TIME_DISK], 2 * tick_ns);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 3 * tick_ns);
}

/* The figures of a thread, with its switches. */
static struct sprof_figures figures_at(uint64_t time_ns, uint64_t cpu_ns, uint64_t switches)
{
	return (struct sprof_figures){
		.time_ns = time_ns, .cpu_ns = cpu_ns, .has_switches = true, .switches = switches};
}

/* Something kept it from running, but it has not slept. */
static void a_thread_that_never_sleeps_waits_for_nothing(void **state)
{
	const struct sprof_figures start = figures_at(1000, 0, 7);
	struct sprof_account account = start_at(&start);
	struct sprof_figures now = figures_at(2000, 700, 7);
	struct sprof_times times;

	see(&account, SPROF_STATE_USER, 99);
	now.runq_ns = 100;
	times = sprof_account_advance(&account, &now, false);
	assert_int_equal(times.ns[SPROF_TIME_STOLEN], 200);
	assert_int_equal(total(&times), 1000);
	assert_int_equal(total(&account.handed_out), 1000);
	times = sprof_account_advance(&account, &now, false);
	assert_int_equal(total(&times), 0);
}

/* Naps too short for samples: the kernel has counted them. */
static void sleeps_between_samples_are_wait(void **state)
{
	const struct sprof_figures start = figures_at(0, 0, 0);
	struct sprof_account account = start_at(&start);
	struct sprof_figures now = figures_at(1000, 600, 50);
	struct sprof_times times;

	see(&account, SPROF_STATE_USER, 5);
	now.cpus = (struct sprof_proc_cpus){.worked_ticks = 60, .lost_ticks = 0};
	times = sprof_account_advance(&account, &now, false);
	assert_int_equal(total(&times), 600);
	/* The next window has no nap; earlier left-over time stays wait. */
	now = figures_at(2000, 1500, 50);
	times = sprof_account_advance(&account, &now, false);
	assert_int_equal(times.ns[SPROF_TIME_STOLEN], 100);
	assert_int_equal(total(&times), 1000);
	times = sprof_account_advance(&account, &now, true);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 400);
	assert_int_equal(total(&times), 400);
}

static void what_it_stood_still_for_samples_is_no_wait(void **state)
{
	const struct sprof_figures start = figures_at(0, 0, 0);
	struct sprof_account account = start_at(&start);
	struct sprof_figures now = figures_at(1000, 600, 1);
	struct sprof_times times;

	see(&account, SPROF_STATE_SLEEP, 1);
	now.stood_ns = 150;
	times = sprof_account_advance(&account, &now, false);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 250);
	assert_int_equal(times.ns[SPROF_TIME_STOLEN], 150);
	/* The clock measures a stop, and runs while the thread is on its way to the stop. */
	see(&account, SPROF_STATE_SLEEP, 1);
	now.time_ns = 2000;
	now.cpu_ns = 1590;
	times = sprof_account_advance(&account, &now, false);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 0);
	assert_int_equal(times.ns[SPROF_TIME_STOLEN], 10);
}

/* A second of a thread: its parts in ms, and a sample every 10 ms. */
struct second {
	unsigned cpu, wait, stolen;
};

static struct sprof_times live_seconds(
	const struct second *second, unsigned count, bool machine_tells, struct sprof_account *ret)
{
	struct sprof_figures now = figures_at(0, 0, 0);
	struct sprof_account account = start_at(&now);
	struct sprof_times sum = {0};

	for (unsigned i = 0; i < count; i++) {
		struct sprof_times times;

		now.time_ns += SPROF_NS_PER_S;
		now.cpu_ns += second->cpu * SPROF_NS_PER_MS;
		now.switches += second->wait != 0;
		now.cpus.worked_ticks += second->cpu / 10;
		now.cpus.lost_ticks += machine_tells ? second->stolen / 10 : 0;
		see(&account, SPROF_STATE_USER, (second->cpu + second->stolen) / 10);
		see(&account, SPROF_STATE_SLEEP, second->wait / 10);
		times = sprof_account_advance(&account, &now, false);
		add(&sum, &times);
		assert_true(total(&sum) + account.kept_ns == now.time_ns);
	}
	*ret = account;
	return sum;
}

/* On a machine that loses a fifth of its CPU time to its host. */
static void what_the_host_takes_is_no_wait(void **state)
{
	const struct second seconds[] = {
		{800, 0, 200}, {400, 500, 100}, {780, 20, 200}, {80, 900, 20}};

	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++) {
		struct sprof_account account;
		struct sprof_times sum = live_seconds(&seconds[i], 1000, true, &account);

		/* All but the standard errors of 100000 samples, which are a few points. */
		assert_in_range(sum.ns[SPROF_TIME_STOLEN] / SPROF_NS_PER_MS,
			seconds[i].stolen * 1000 - 1000 * 6, seconds[i].stolen * 1000);
		assert_true(sum.ns[SPROF_TIME_SLEEP] >= seconds[i].wait * SPROF_NS_PER_S);
	}
}

/* Samples that miss sleeps by chance take nothing away on a machine that loses nothing. */
static void a_machine_that_loses_nothing_steals_nothing(void **state)
{
	const struct second missed = {400, 500, 100};
	struct sprof_account account;
	struct sprof_times sum = live_seconds(&missed, 100, false, &account);

	assert_int_equal(sum.ns[SPROF_TIME_STOLEN], 0);
	assert_int_equal(sum.ns[SPROF_TIME_SLEEP] / SPROF_NS_PER_MS, 600 * 100);
}

/* If the kernel's CPU time includes the stolen time, nothing is left to take. */
static void a_host_that_is_in_the_cpu_time_takes_nothing_from_wait(void **state)
{
	struct sprof_figures now = figures_at(0, 0, 0);
	struct sprof_account account = start_at(&now);
	struct sprof_times sum = {0};

	for (int i = 0; i < 100; i++) {
		struct sprof_times times;

		now.time_ns += SPROF_NS_PER_S;
		now.cpu_ns += SPROF_NS_PER_S / 2;
		now.switches++;
		now.cpus.worked_ticks += 50;
		now.cpus.lost_ticks += 25;
		see(&account, SPROF_STATE_USER, 50);
		see(&account, SPROF_STATE_SLEEP, 50);
		times = sprof_account_advance(&account, &now, false);
		add(&sum, &times);
	}
	assert_int_equal(sum.ns[SPROF_TIME_STOLEN], 0);
}

TEST_MAIN("account")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_window),
		cmocka_unit_test(nothing_is_handed_out_twice),
		cmocka_unit_test(time_without_ticks_is_user_time),
		cmocka_unit_test(one_sided_splits),
		cmocka_unit_test(a_split_that_moves_takes_nothing_back),
		cmocka_unit_test(consistent_figures_add_up_at_every_step),
		cmocka_unit_test(figures_that_go_back_hand_out_nothing),
		cmocka_unit_test(huge_figures_do_not_overflow),
		cmocka_unit_test(figures_come_from_schedstat),
		cmocka_unit_test(without_schedstat_ticks_are_the_cpu_time),
		cmocka_unit_test(blocked_time_goes_by_what_was_seen),
		cmocka_unit_test(disk_time_is_the_kernels_where_it_counts),
		cmocka_unit_test(a_sleeper_has_the_disk_time_that_is_owed),
		cmocka_unit_test(a_thread_that_never_sleeps_waits_for_nothing),
		cmocka_unit_test(sleeps_between_samples_are_wait),
		cmocka_unit_test(what_it_stood_still_for_samples_is_no_wait),
		cmocka_unit_test(what_the_host_takes_is_no_wait),
		cmocka_unit_test(a_machine_that_loses_nothing_steals_nothing),
		cmocka_unit_test(a_host_that_is_in_the_cpu_time_takes_nothing_from_wait),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
