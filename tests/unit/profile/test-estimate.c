/*
 * profile/estimate: which functions get the running time of threads without a sample, by arithmetic.
 */
#include "profile/edit/estimate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/edit/filter.h"
#include "profile/model/build.h"
#include "profile/views/view.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static uint32_t thread_of(struct sprof_profile *profile, pid_t pid, pid_t tid, const char *process)
{
	const struct sprof_build_thread thread = {
		.pid = pid, .tid = tid, .name = "thread", .process_name = process};
	uint32_t id;

	assert_true(sprof_build_thread(profile, &thread, &id));
	return id;
}

static void add(struct sprof_profile *profile, uint32_t thread, const char *folded,
	enum sprof_state state, uint64_t samples, struct sprof_times times)
{
	const struct sprof_profile_context context = {.state = state};
	struct sprof_profile_row row = {.thread = thread,
		.stack = example_stack(profile, folded),
		.metrics = {.samples = samples, .times = times}};

	assert_true(sprof_build_context(profile, &context, &row.context));
	assert_true(sprof_build_row(profile, &row, NULL));
}

static void add_user(struct sprof_profile *profile, uint32_t thread, const char *folded,
	uint64_t samples, uint64_t ns)
{
	add(profile, thread, folded, SPROF_STATE_USER, samples,
		(struct sprof_times){.ns[SPROF_TIME_USER] = ns});
}

static void add_unsampled(struct sprof_profile *profile, uint32_t thread, struct sprof_times times)
{
	add(profile, thread, SPROF_PROFILE_UNSAMPLED, SPROF_STATE_COUNT, 0, times);
}

/* A thread that was seen only asleep, in the function that it began in. */
static uint32_t add_sleeper(
	struct sprof_profile *profile, pid_t tid, const char *folded, uint64_t user_ns)
{
	const uint32_t thread = thread_of(profile, 1, tid, "pool");

	add(profile, thread, folded, SPROF_STATE_SLEEP, 300,
		(struct sprof_times){.ns[SPROF_TIME_SLEEP] = 1000});
	add_unsampled(profile, thread, (struct sprof_times){.ns[SPROF_TIME_USER] = user_ns});
	return thread;
}

/* What a function has of a class, its own, over all threads. */
static uint64_t self_of(
	const struct sprof_profile *profile, const char *name, enum sprof_time_class class)
{
	const struct sprof_view view = {.weight = SPROF_WEIGHT_WALL, .thread = SPROF_PROFILE_NONE};
	struct sprof_error err;
	struct sprof_flat flat;
	uint64_t ns = 0;

	assert_true(sprof_flat_build(profile, &view, &flat, &err));
	for (size_t i = 0; i < flat.count; i++) {
		if (strcmp(profile->functions[flat.rows[i].function].name, name) == 0)
			ns += flat.rows[i].self.times.ns[class];
	}
	sprof_flat_finish(&flat);
	return ns;
}

static uint64_t user_of(const struct sprof_profile *profile, const char *name)
{
	return self_of(profile, name, SPROF_TIME_USER);
}

static void a_pool_has_what_its_samples_say(void **state)
{
	struct sprof_profile *profile = sprof_build_create();

	add_user(profile, thread_of(profile, 1, 2, "pool"), "work;one", 1, 50);
	add_user(profile, thread_of(profile, 1, 3, "pool"), "work;two", 1, 50);
	add_sleeper(profile, 4, "work;nap", 60);
	add_sleeper(profile, 5, "work;nap", 40);
	assert_true(sprof_estimate_share(profile));
	assert_int_equal(user_of(profile, "one"), 100);
	assert_int_equal(user_of(profile, "two"), 100);
	assert_int_equal(user_of(profile, SPROF_PROFILE_UNSAMPLED), 0);
	assert_int_equal(user_of(profile, "nap"), 0);
	assert_int_equal(profile->quality.estimated_ns, 100);
	assert_int_equal(profile->quality.running_ns, 200);
	assert_true(sprof_profile_adds_up(profile));
	sprof_profile_destroy(profile);
}

/* A sample means 10 ms in both: one thread has 100 samples in 1 s; of 100 threads with 1 ms each, 10 have a sample. */
static void a_thread_with_all_its_samples_gets_nothing(void **state)
{
	struct sprof_profile *profile = sprof_build_create();

	add_user(profile, thread_of(profile, 1, 2, "pool"), "work;long", 100, 1000);
	for (pid_t tid = 3; tid < 13; tid++)
		add_user(profile, thread_of(profile, 1, tid, "pool"), "work;brief", 1, 1);
	for (pid_t tid = 13; tid < 103; tid++)
		add_sleeper(profile, tid, "work;nap", 1);
	assert_true(sprof_estimate_share(profile));
	assert_int_equal(user_of(profile, "long"), 1000);
	assert_int_equal(user_of(profile, "brief"), 100);
	assert_true(sprof_profile_adds_up(profile));
	sprof_profile_destroy(profile);
}

static void threads_that_began_in_one_function_are_alike(void **state)
{
	struct sprof_profile *profile = sprof_build_create();

	add_user(profile, thread_of(profile, 1, 2, "pool"), "reader;parse", 10, 100);
	add_user(profile, thread_of(profile, 1, 3, "pool"), "work;one", 1, 5);
	add_sleeper(profile, 4, "work;nap", 7);
	add_sleeper(profile, 5, "reader;wait", 3);
	assert_true(sprof_estimate_share(profile));
	assert_int_equal(user_of(profile, "one"), 12);
	assert_int_equal(user_of(profile, "parse"), 103);
	sprof_profile_destroy(profile);
}

/* Nothing says where the second one began. The third one is alone in its function. */
static void the_process_comes_next(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	uint32_t unseen = thread_of(profile, 1, 3, "pool");

	add_user(profile, thread_of(profile, 1, 2, "pool"), "work;one", 1, 5);
	add_unsampled(profile, unseen, (struct sprof_times){.ns[SPROF_TIME_USER] = 7});
	add_sleeper(profile, 4, "timer;nap", 3);
	assert_true(sprof_estimate_share(profile));
	assert_int_equal(user_of(profile, "one"), 15);
	assert_int_equal(profile->threads[unseen].times.ns[SPROF_TIME_USER], 7);
	sprof_profile_destroy(profile);
}

static void processes_of_one_program_come_last(void **state)
{
	struct sprof_profile *profile = sprof_build_create();

	add_user(profile, thread_of(profile, 1, 1, "/usr/lib/cc1 -O2 a.c"), "main;parse", 2, 20);
	add_unsampled(profile, thread_of(profile, 2, 2, "/usr/lib/cc1 b.c"),
		(struct sprof_times){.ns[SPROF_TIME_USER] = 9});
	add_unsampled(profile, thread_of(profile, 3, 3, "as b.s"),
		(struct sprof_times){.ns[SPROF_TIME_USER] = 4});
	assert_true(sprof_estimate_share(profile));
	assert_int_equal(user_of(profile, "parse"), 29);
	assert_int_equal(user_of(profile, SPROF_PROFILE_UNSAMPLED), 4);
	assert_int_equal(profile->quality.estimated_ns, 9);
	sprof_profile_destroy(profile);
}

/* Blocked and stolen time are never shared out. */
static void a_class_goes_to_samples_of_its_own(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_times all = {.ns = {[SPROF_TIME_USER] = 10,
						[SPROF_TIME_SYS] = 20,
						[SPROF_TIME_RUNQ] = 30,
						[SPROF_TIME_SLEEP] = 40,
						[SPROF_TIME_STOLEN] = 8}};

	add_user(profile, thread_of(profile, 1, 2, "pool"), "work;one", 1, 5);
	add(profile, thread_of(profile, 1, 3, "pool"), "work;write", SPROF_STATE_SYS, 1,
		(struct sprof_times){.ns[SPROF_TIME_SYS] = 5});
	add_unsampled(profile, thread_of(profile, 1, 4, "pool"), all);
	assert_true(sprof_estimate_share(profile));
	assert_int_equal(user_of(profile, "one"), 15);
	assert_int_equal(user_of(profile, "write"), 0);
	assert_int_equal(self_of(profile, "write", SPROF_TIME_SYS), 25);
	assert_int_equal(self_of(profile, "one", SPROF_TIME_RUNQ) +
			self_of(profile, "write", SPROF_TIME_RUNQ),
		30);
	assert_int_equal(self_of(profile, SPROF_PROFILE_UNSAMPLED, SPROF_TIME_STOLEN), 8);
	assert_int_equal(self_of(profile, SPROF_PROFILE_UNSAMPLED, SPROF_TIME_SLEEP), 40);
	assert_int_equal(self_of(profile, SPROF_PROFILE_UNSAMPLED, SPROF_TIME_SYS), 0);
	sprof_profile_destroy(profile);
}

static void page_faults_take_system_time_without_a_call(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_times touching = {.ns = {[SPROF_TIME_USER] = 50, [SPROF_TIME_SYS] = 50}};

	add(profile, thread_of(profile, 1, 2, "pool"), "work;touch", SPROF_STATE_USER, 10,
		touching);
	add_user(profile, thread_of(profile, 1, 3, "pool"), "work;one", 10, 100);
	add_unsampled(profile, thread_of(profile, 1, 4, "pool"),
		(struct sprof_times){.ns[SPROF_TIME_SYS] = 6});
	assert_true(sprof_estimate_share(profile));
	assert_int_equal(self_of(profile, "touch", SPROF_TIME_SYS), 56);
	sprof_profile_destroy(profile);
}

static void a_class_without_any_sample_stays(void **state)
{
	struct sprof_profile *profile = sprof_build_create();

	add_user(profile, thread_of(profile, 1, 2, "pool"), "work;one", 10, 100);
	add_unsampled(profile, thread_of(profile, 1, 3, "pool"),
		(struct sprof_times){.ns[SPROF_TIME_SYS] = 6});
	assert_true(sprof_estimate_share(profile));
	assert_int_equal(self_of(profile, SPROF_PROFILE_UNSAMPLED, SPROF_TIME_SYS), 6);
	assert_int_equal(profile->quality.estimated_ns, 0);
	sprof_profile_destroy(profile);
}

/* A recording is written while it goes on. */
static void a_later_estimate_begins_anew(void **state)
{
	struct sprof_profile *profile = sprof_build_create();

	add_user(profile, thread_of(profile, 1, 2, "pool"), "work;one", 1, 10);
	add_sleeper(profile, 3, "work;nap", 10);
	assert_true(sprof_estimate_share(profile));
	assert_int_equal(user_of(profile, "one"), 20);
	add_user(profile, thread_of(profile, 1, 4, "pool"), "work;two", 1, 10);
	assert_true(sprof_estimate_share(profile) && sprof_estimate_share(profile));
	assert_int_equal(user_of(profile, "one"), 15);
	assert_int_equal(user_of(profile, "two"), 15);
	assert_true(sprof_profile_adds_up(profile));
	assert_true(sprof_estimate_take_back(profile));
	assert_int_equal(user_of(profile, "one"), 10);
	assert_int_equal(user_of(profile, SPROF_PROFILE_UNSAMPLED), 10);
	sprof_profile_destroy(profile);
}

static void a_thread_alone_has_only_its_own_samples(void **state)
{
	struct sprof_profile *profile = sprof_build_create(), *part;
	const struct sprof_filter filter = {.thread = "5"};
	struct sprof_error err;

	add_user(profile, thread_of(profile, 1, 2, "pool"), "work;one", 1, 10);
	add_sleeper(profile, 5, "work;nap", 8);
	assert_true(sprof_estimate_share(profile));
	assert_true(sprof_profile_filter(profile, &filter, &part, &err));
	assert_int_equal(user_of(part, "one"), 0);
	assert_int_equal(user_of(part, SPROF_PROFILE_UNSAMPLED), 8);
	assert_int_equal(self_of(part, "nap", SPROF_TIME_SLEEP), 1000);
	sprof_profile_destroy(part);
	sprof_profile_destroy(profile);
}

/* Rounding loses nothing: each thread and class keeps its sum. */
static void sums_stay_exact(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	unsigned short seed[3] = {4, 5, 6};
	uint64_t sum = 0, after = 0;

	for (pid_t tid = 1; tid < 200; tid++) {
		const uint32_t thread = thread_of(profile, 1 + tid % 3, tid, "pool");
		char folded[32];

		for (int i = 0; i < 3; i++) {
			const uint64_t samples = (uint64_t)nrand48(seed) % 4;
			const uint64_t ns = samples ? (uint64_t)nrand48(seed) % 100000007 : 0;

			snprintf(
				folded, sizeof(folded), "start%d;f%ld", tid % 5, nrand48(seed) % 9);
			add_user(profile, thread, folded, samples, ns);
			sum += ns;
		}
		add_unsampled(profile, thread,
			(struct sprof_times){.ns[SPROF_TIME_USER] = (uint64_t)nrand48(seed) % 97});
		sum += profile->rows[profile->row_count - 1].metrics.times.ns[SPROF_TIME_USER];
	}
	assert_true(sprof_estimate_share(profile));
	assert_true(sprof_profile_adds_up(profile));
	for (int i = 0; i < 9; i++)
		after += user_of(profile, (char[]){'f', (char)('0' + i), '\0'});
	assert_int_equal(after, sum);
	sprof_profile_destroy(profile);
}

TEST_MAIN("estimate")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pool_has_what_its_samples_say),
		cmocka_unit_test(a_thread_with_all_its_samples_gets_nothing),
		cmocka_unit_test(threads_that_began_in_one_function_are_alike),
		cmocka_unit_test(the_process_comes_next),
		cmocka_unit_test(processes_of_one_program_come_last),
		cmocka_unit_test(a_class_goes_to_samples_of_its_own),
		cmocka_unit_test(page_faults_take_system_time_without_a_call),
		cmocka_unit_test(a_class_without_any_sample_stays),
		cmocka_unit_test(a_later_estimate_begins_anew),
		cmocka_unit_test(a_thread_alone_has_only_its_own_samples),
		cmocka_unit_test(sums_stay_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
