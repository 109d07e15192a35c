/*
 * sampler/account: whatever the kernel's figures do, what is handed out adds up and is never handed
 * out twice.
 */
#include "sampler/account.h"

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

static void one_window(void **state)
{
	const struct sprof_figures start = {1000, 100, 10, 5, 5}, now = {2000, 500, 110, 8, 6};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(&account, &now);

	/* 400 ns of CPU, split 3 to 1; 100 ns ready; of 1000 ns the rest. */
	assert_int_equal(times.ns[SPROF_TIME_USER], 300);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 100);
	assert_int_equal(times.ns[SPROF_TIME_RUNQ], 100);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 500);
}

static void nothing_is_handed_out_twice(void **state)
{
	const struct sprof_figures start = {0}, now = {2000, 500, 110, 8, 6};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(&account, &now);

	assert_int_equal(total(&times), 2000);
	times = sprof_account_advance(&account, &now);
	assert_int_equal(total(&times), 0);
}

/* Without a tick of either kind nothing says that it was in the kernel. */
static void time_without_ticks_is_user_time(void **state)
{
	const struct sprof_figures start = {0}, now = {1000, 700, 0, 0, 0};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(&account, &now);

	assert_int_equal(times.ns[SPROF_TIME_USER], 700);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 0);
}

static void one_sided_splits(void **state)
{
	const struct sprof_figures start = {0, 0, 0, 50, 50};
	struct sprof_account account = start_at(&start);
	struct sprof_times times =
		sprof_account_advance(&account, &(struct sprof_figures){1000, 700, 0, 50, 51});

	assert_int_equal(times.ns[SPROF_TIME_SYS], 700);
	account = start_at(&start);
	times = sprof_account_advance(&account, &(struct sprof_figures){1000, 700, 0, 51, 50});
	assert_int_equal(times.ns[SPROF_TIME_USER], 700);
}

/*
 * The split over the whole run moves: what one side was given already stays, and the CPU time as a
 * whole is exact all the same.
 */
static void a_split_that_moves_takes_nothing_back(void **state)
{
	const struct sprof_figures start = {0};
	struct sprof_account account = start_at(&start);
	struct sprof_times times =
		sprof_account_advance(&account, &(struct sprof_figures){1000, 1000, 0, 1, 0});

	assert_int_equal(times.ns[SPROF_TIME_USER], 1000);
	/* One tick in four is user's now: 500 of 2000 ns, but 1000 are out. */
	times = sprof_account_advance(&account, &(struct sprof_figures){2000, 2000, 0, 1, 3});
	assert_int_equal(times.ns[SPROF_TIME_USER], 0);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 1000);
	/* And back: 3 in 4 are user's, 3000 of 4000 ns; 1000 of system are out, so it fits. */
	times = sprof_account_advance(&account, &(struct sprof_figures){4000, 4000, 0, 9, 3});
	assert_int_equal(times.ns[SPROF_TIME_USER], 2000);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 0);
	/* All but one of a thousand are user's: 1000 of system can't be taken back. */
	times = sprof_account_advance(&account, &(struct sprof_figures){5000, 5000, 0, 999, 3});
	assert_int_equal(times.ns[SPROF_TIME_USER], 1000);
	assert_int_equal(times.ns[SPROF_TIME_SYS], 0);
}

/* The figures of a thread as time goes on: consistent, as the kernel's are off the CPU. */
static void live(struct sprof_figures *figures, uint64_t *random)
{
	uint64_t cpu = next_random(random, 4) ? next_random(random, 20000000) : 0;
	uint64_t runq = next_random(random, 3) ? 0 : next_random(random, 5000000);
	uint64_t wait = next_random(random, 2) ? next_random(random, 90000000) : 0;

	figures->time_ns += cpu + runq + wait;
	figures->cpu_ns += cpu;
	figures->runq_ns += runq;
	/* The ticks are the kernel's rough idea: right in sum at best. */
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
			times = sprof_account_advance(&account, &now);
			add(&sum, &times);
			check_sums(&sum, &start, &now);
		}
	}
}

/* Rubbish in: still no class is ever given more than its figure has reached. */
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
		struct sprof_times times = sprof_account_advance(&account, &now);

		most_cpu = now.cpu_ns > most_cpu ? now.cpu_ns : most_cpu;
		most_runq = now.runq_ns > most_runq ? now.runq_ns : most_runq;
		add(&sum, &times);
		assert_true(cpu_of(&sum) == most_cpu);
		assert_true(sum.ns[SPROF_TIME_RUNQ] == most_runq);
		assert_true(sum.ns[SPROF_TIME_SLEEP] < 1 << 30);
	}
}

static void huge_figures_do_not_overflow(void **state)
{
	const struct sprof_figures start = {0};
	const struct sprof_figures now = {
		UINT64_MAX, UINT64_MAX / 2, UINT64_MAX / 4, UINT64_MAX / 4, UINT64_MAX / 4};
	struct sprof_account account = start_at(&start);
	struct sprof_times times = sprof_account_advance(&account, &now);

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
	struct sprof_times times = sprof_account_advance(&account, &now);

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
		sprof_account_see(&account, i < 2 ? SPROF_STATE_SLEEP
				: i < 5 ? SPROF_STATE_DISK : SPROF_STATE_STOPPED, 1);
	sprof_account_see(&account, SPROF_STATE_USER, 1);
	times = sprof_account_advance(&account, &(struct sprof_figures){.time_ns = 1000});
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 200);
	assert_int_equal(times.ns[SPROF_TIME_DISK], 300);
	assert_int_equal(times.ns[SPROF_TIME_STOPPED], 500);
	/* Without a sample it waits for one, or at the end goes where the last one was. */
	times = sprof_account_advance(&account,
		&(struct sprof_figures){.time_ns = 1300, .more_to_come = true});
	assert_int_equal(total(&times), 0);
	times = sprof_account_advance(&account, &(struct sprof_figures){.time_ns = 1700});
	assert_int_equal(times.ns[SPROF_TIME_STOPPED], 700);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP] + times.ns[SPROF_TIME_DISK], 0);
}

static void disk_time_is_the_kernels_where_it_counts(void **state)
{
	const uint64_t tick_ns = SPROF_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	const struct sprof_figures start = {.disk_ticks = 5};
	struct sprof_account account = start_at(&start);
	struct sprof_times times;

	sprof_account_see(&account, SPROF_STATE_SLEEP, 1);
	times = sprof_account_advance(&account,
		&(struct sprof_figures){.time_ns = 10 * tick_ns, .disk_ticks = 9});
	assert_int_equal(times.ns[SPROF_TIME_DISK], 4 * tick_ns);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 6 * tick_ns);
	/* Never more than there is; what is left over comes later. */
	times = sprof_account_advance(&account,
		&(struct sprof_figures){.time_ns = 11 * tick_ns, .disk_ticks = 12});
	assert_int_equal(times.ns[SPROF_TIME_DISK], tick_ns);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 0);
	times = sprof_account_advance(&account,
		&(struct sprof_figures){.time_ns = 20 * tick_ns, .disk_ticks = 12});
	assert_int_equal(times.ns[SPROF_TIME_DISK], 2 * tick_ns);
	assert_int_equal(times.ns[SPROF_TIME_SLEEP], 7 * tick_ns);
}

int main(void)
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
