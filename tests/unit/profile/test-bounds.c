/*
 * profile/bounds: what a recording of hours and days may cost in memory, by the records of such days
 * sent through the sink: code that never repeats itself, threads, processes, waits and names that
 * come by the million. Nothing may be lost but what things are told apart by.
 */
#include "profile/model/profile.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/model/index.h"
#include "tests/unit/check.h"

enum {
	RATE = 25, /* a day of four threads is 430 times what MAX_STACKS has room for */
	HOUR = 3600 * RATE,
	MAX_STACKS = 20000,
	DEPTH = 20,
};

static const uint64_t period_ns = 1000000000u / RATE;

struct days {
	struct sprof_profile *profile;
	struct sprof_sink sink;
	uint64_t random;
	uint64_t ticks, samples, charged;
	uint32_t pid_uses;
};

static void begin(struct days *days, size_t max_stacks)
{
	*days = (struct days){.profile = sprof_profile_create(NULL), .random = 1};
	sprof_profile_set_max_stacks(days->profile, max_stacks);
	sprof_profile_set_timeline(days->profile, 10000, 0);
	days->sink = sprof_profile_sink(days->profile);
}

static void check_and_end(struct days *days)
{
	const struct sprof_profile *profile = days->profile;
	uint64_t samples = 0, wall = 0;

	for (size_t i = 0; i < profile->row_count; i++) {
		samples += profile->rows[i].metrics.samples;
		wall += sprof_times_wall(&profile->rows[i].metrics.times);
	}
	assert_true(sprof_profile_adds_up(profile));
	assert_int_equal(samples, days->samples);
	assert_int_equal(wall, days->charged);
	sprof_profile_destroy(days->profile);
}

static uint32_t some(struct days *days, uint32_t below)
{
	days->random = days->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((days->random >> 33) % below);
}

/* Each use of a pid is by another process. */
static void announce(
	struct days *days, uint32_t id, pid_t pid, const char *name, const char *command)
{
	const struct sprof_thread_record record = {.id = id,
		.process = days->pid_uses,
		.pid = pid,
		.tid = pid,
		.name = name,
		.process_name = command};

	assert_true(days->sink.thread(days->sink.data, &record));
}

/* A stack that shares its outer half with others, and of which there are `kinds`. */
static uint32_t stack(struct days *days, uint32_t kinds)
{
	struct sprof_frame frames[DEPTH];
	struct sprof_stack_view view = {.frames = frames, .count = DEPTH};
	uint32_t kind = some(days, kinds), id;

	for (uint32_t i = 0; i < DEPTH; i++)
		frames[i] = (struct sprof_frame){
			.offset = (i < DEPTH / 2 ? kind : kind % 16) * 64 + i, .is_return = i > 0};
	assert_true(days->sink.stack(days->sink.data, &view, &id));
	return id;
}

static void sample(
	struct days *days, uint32_t thread, uint32_t on, enum sprof_state state, uint32_t wait)
{
	const struct sprof_sample record = {.time_ns = 1000 + days->ticks * period_ns,
		.thread = thread,
		.stack = on,
		.state = state,
		.wait = wait};

	assert_true(days->sink.sample(days->sink.data, &record));
	days->samples++;
}

static void charge(
	struct days *days, uint32_t thread, enum sprof_time_class class, uint64_t ns, bool last)
{
	struct sprof_times times = {0};

	times.ns[class] = ns;
	assert_true(days->sink.charge(
		days->sink.data, thread, &(struct sprof_charge){.times = times, .last = last}));
	days->charged += ns;
}

static size_t in_use(void)
{
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

/* The memory may not have grown since the first of these, but for a little that fills up slowly. */
static void check_flat(size_t *first)
{
	if (!*first)
		*first = in_use();
	else
		assert_in_range(in_use(), 0, *first + *first / 20);
}

/* Four threads, for hours, in code where nearly every stack is a new one. */
static void run_for(struct days *days, uint64_t hours)
{
	size_t first = 0;

	for (uint32_t thread = 0; thread < 4; thread++)
		announce(days, thread, 100, "worker", "program");
	for (days->ticks = 0; days->ticks < hours * HOUR; days->ticks++) {
		for (uint32_t thread = 0; thread < 4; thread++)
			sample(days, thread, stack(days, 1u << 30), SPROF_STATE_USER, 0);
		for (uint32_t thread = 0; days->ticks % RATE == 0 && thread < 4; thread++)
			charge(days, thread, SPROF_TIME_USER, 1000000007, false);
		if (days->ticks && days->ticks % HOUR == 0)
			check_flat(&first);
	}
}

static void a_day_of_new_stacks_takes_no_more_than_an_hour(void **state)
{
	struct days days;

	begin(&days, MAX_STACKS);
	run_for(&days, 24);
	assert_in_range(days.profile->index->folded.samples, days.samples - 2 * MAX_STACKS,
		days.samples - MAX_STACKS);
	check_and_end(&days);
}

/* The stacks of the first minutes stay known, and go on being told apart. */
static void known_stacks_are_kept(void **state)
{
	struct days days;
	uint32_t first, again, other;

	begin(&days, 10);
	announce(&days, 0, 100, "main", "program");
	first = stack(&days, 1);
	for (int i = 0; i < 1000; i++)
		other = stack(&days, 1u << 30);
	assert_true(sprof_profile_is_other(days.profile, other));
	again = stack(&days, 1);
	assert_int_equal(first, again);
	sample(&days, 0, other, SPROF_STATE_USER, 0);
	sample(&days, 0, first, SPROF_STATE_USER, 0);
	charge(&days, 0, SPROF_TIME_USER, 100, true);
	sprof_profile_set_quality(days.profile, &(struct sprof_quality){.ticks = 2});
	assert_int_equal(days.profile->quality.samples_folded, 1);
	check_and_end(&days);
}

/* 10,000 threads a second for an hour, each with a name of its own, some with a sample. */
static void a_storm_of_threads_takes_no_memory(void **state)
{
	struct days days;
	size_t first = 0;

	begin(&days, MAX_STACKS);
	announce(&days, 0, 100, "main", "program");
	for (uint32_t i = 1; i < 36u * 1000 * 100; i++) {
		char name[16];

		snprintf(name, sizeof(name), "worker-%u", i);
		announce(&days, i, 100, name, NULL);
		if (i % 10 == 0)
			sample(&days, i, stack(&days, 100), SPROF_STATE_USER, 0);
		if (i % 1000 == 0)
			sample(&days, 0, stack(&days, 100), SPROF_STATE_SLEEP, 0);
		charge(&days, i, SPROF_TIME_USER, 20000, false);
		charge(&days, i, SPROF_TIME_SLEEP, 30000, true);
		if (i >= 200000 && i % 400000 == 0)
			check_flat(&first);
	}
	charge(&days, 0, SPROF_TIME_SLEEP, 123456789, true);
	assert_int_equal(days.profile->process_count, 1);
	assert_in_range(days.profile->index->folded.threads, 3500000, 3600000);
	check_and_end(&days);
}

/* A build server: processes with a command line of their own, and pids that come again. */
static void a_storm_of_processes_takes_no_memory(void **state)
{
	struct days days;
	char command[300];
	size_t first = 0;

	begin(&days, MAX_STACKS);
	for (uint32_t i = 1; i < 1500000; i++) {
		pid_t pid = 300 + (pid_t)(i % 32768);

		days.pid_uses = i / 32768;
		snprintf(command, sizeof(command), "cc -c file-%u.c %0200u", i, i);
		announce(&days, i, pid, "cc", command);
		sample(&days, i, stack(&days, 100), SPROF_STATE_USER, 0);
		charge(&days, i, SPROF_TIME_USER, 20000, true);
		if (i >= 500000 && i % 200000 == 0)
			check_flat(&first);
	}
	check_and_end(&days);
}

/* A server: each connection is another thing to wait for, and who holds a lock changes. */
static void new_things_to_wait_for_take_no_memory(void **state)
{
	struct days days;
	size_t first = 0;

	begin(&days, MAX_STACKS);
	for (uint32_t thread = 0; thread < 50; thread++)
		announce(&days, thread, 100, "server", "program");
	for (uint32_t i = 0; i < 2000000; i++) {
		struct sprof_wait wait = {.system_call = i % 3,
			.kind = SPROF_WAIT_KIND_IO,
			.module = SPROF_RECORD_NONE};
		struct sprof_holder holder = {
			.thread = some(&days, 50), .stack = stack(&days, 500)};
		struct sprof_sample record = {.thread = i % 50,
			.stack = stack(&days, 100),
			.state = SPROF_STATE_SLEEP,
			.holder = i % 2 ? &holder : NULL};
		char object[64];

		snprintf(object, sizeof(object), "tcp 10.0.0.1:80 -> 10.1.2.3:%u", i);
		wait.object = i % 2 ? object : NULL;
		wait.address = i % 2 ? 0 : 0x7f0000000000 + i * 64ull;
		assert_true(days.sink.wait(days.sink.data, &wait, &record.wait));
		assert_true(days.sink.sample(days.sink.data, &record));
		days.samples++;
		charge(&days, record.thread, SPROF_TIME_SLEEP, 1000, false);
		if (i >= 600000 && i % 200000 == 0)
			check_flat(&first);
	}
	assert_true(days.profile->index->folded.waits > 1000000);
	for (uint32_t thread = 0; thread < 50; thread++)
		charge(&days, thread, SPROF_TIME_SLEEP, 0, true);
	check_and_end(&days);
}

/* Some programs show their progress in the names of their threads. */
static void names_that_change_take_no_memory(void **state)
{
	struct days days;
	size_t before;
	char name[16];

	begin(&days, MAX_STACKS);
	announce(&days, 0, 100, "step 0", "program");
	for (int i = 1; i < 1000; i++) {
		snprintf(name, sizeof(name), "step %d", i);
		announce(&days, 0, 100, name, NULL);
	}
	before = in_use();
	for (int i = 1000; i < 100000; i++) {
		snprintf(name, sizeof(name), "step %d", i);
		announce(&days, 0, 100, name, NULL);
	}
	assert_int_equal(in_use(), before);
	check_and_end(&days);
}

static void without_a_bound_everything_is_kept(void **state)
{
	struct days days;

	begin(&days, 0);
	announce(&days, 0, 100, "main", "program");
	for (int i = 0; i < 100000; i++)
		sample(&days, 0, stack(&days, 1u << 30), SPROF_STATE_USER, 0);
	assert_in_range(days.profile->row_count, 99900, 100000);
	charge(&days, 0, SPROF_TIME_USER, 1, true);
	check_and_end(&days);
}

TEST_MAIN("bounds")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_day_of_new_stacks_takes_no_more_than_an_hour),
		cmocka_unit_test(known_stacks_are_kept),
		cmocka_unit_test(a_storm_of_threads_takes_no_memory),
		cmocka_unit_test(a_storm_of_processes_takes_no_memory),
		cmocka_unit_test(new_things_to_wait_for_take_no_memory),
		cmocka_unit_test(names_that_change_take_no_memory),
		cmocka_unit_test(without_a_bound_everything_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
