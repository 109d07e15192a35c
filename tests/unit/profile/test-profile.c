/*
 * profile/profile: records in, tables out; and the identity between charges and rows.
 */
#include "profile/model/profile.h"

#include <stdlib.h>
#include <string.h>

#include "profile/model/labels.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static void announce(
	struct sprof_sink *sink, uint32_t id, pid_t pid, const char *name, const char *process_name)
{
	struct sprof_thread_record record = {
		.id = id,
		.pid = pid,
		.tid = pid + (pid_t)id,
		.name = name,
		.process_name = process_name,
	};

	assert_true(sink->thread(sink->data, &record));
}

static uint32_t stack_of(struct sprof_sink *sink, const struct sprof_frame *frames, size_t count)
{
	struct sprof_stack_view view = {.frames = frames, .count = count};
	uint32_t id;

	assert_true(sink->stack(sink->data, &view, &id));
	return id;
}

static void take(struct sprof_sink *sink, uint32_t thread, uint32_t stack, enum sprof_state state)
{
	struct sprof_sample sample = {
		.time_ns = 1000, .thread = thread, .stack = stack, .state = state};

	assert_true(sink->sample(sink->data, &sample));
}

static void equal_stacks_are_one_and_share_their_roots(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	const struct sprof_frame frames[] = {{0x10, 0, false}, {0x20, 0, true}, {0x30, 1, true}};
	const struct sprof_frame other[] = {{0x11, 0, false}, {0x20, 0, true}, {0x30, 1, true}};
	uint32_t first = stack_of(&sink, frames, 3), second = stack_of(&sink, other, 3);

	assert_int_equal(stack_of(&sink, frames, 3), first);
	assert_int_not_equal(first, second);
	assert_int_equal(profile->stacks[first].parent, profile->stacks[second].parent);
	assert_int_equal(stack_of(&sink, frames + 1, 2), profile->stacks[first].parent);
	assert_int_equal(profile->stack_count, 1 + 4);
	assert_int_equal(profile->location_count, 4);
	for (size_t i = 1; i < profile->stack_count; i++)
		assert_true(profile->stacks[i].parent < i);
	sprof_profile_destroy(profile);
}

static void module_offset_and_kind_tell_frames_apart(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	const struct sprof_frame frames[] = {
		{16, 0, false}, {16, 0, true}, {16, 1, false}, {17, 0, false}};

	for (size_t i = 0; i < 4; i++)
		stack_of(&sink, &frames[i], 1);
	assert_int_equal(profile->location_count, 4);
	assert_int_equal(profile->stack_count, 1 + 4);
	sprof_profile_destroy(profile);
}

/* Stacks are found by a hash of their frames: each must still be the one that was put in. */
static void many_similar_stacks_are_never_mixed_up(void **state)
{
	enum { STACKS = 50000, DEPTH = 12 };
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	unsigned short seed[3] = {7, 8, 9};

	for (int i = 0; i < STACKS; i++) {
		struct sprof_frame frames[DEPTH] = {0};
		size_t depth = 1 + (size_t)nrand48(seed) % DEPTH;
		uint32_t id;

		for (size_t k = 0; k < depth; k++)
			frames[k] = (struct sprof_frame){(uint64_t)nrand48(seed) % 3,
				(uint32_t)nrand48(seed) % 2, nrand48(seed) % 2};
		id = stack_of(&sink, frames, depth);
		for (size_t k = 0; k < depth; k++, id = profile->stacks[id].parent) {
			const struct sprof_frame *found =
				&profile->locations[profile->stacks[id].location].frame;

			assert_int_equal(found->offset, frames[k].offset);
			assert_int_equal(found->module, frames[k].module);
			assert_int_equal(found->is_return, frames[k].is_return);
		}
		assert_int_equal(id, SPROF_PROFILE_ROOT);
	}
	sprof_profile_destroy(profile);
}

/* The first CPU has the number 0, and is not the same as an unknown one. */
static void samples_say_their_cpu(void **state)
{
	static const char *const names[] = {NULL, "0", "1"};
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	const struct sprof_frame frame = {0x10, 0, false};
	const uint32_t stack = stack_of(&sink, &frame, 1);

	announce(&sink, 0, 1, "t", NULL);
	for (uint32_t cpu = 0; cpu < 3; cpu++) {
		struct sprof_sample sample = {.time_ns = 1000, .stack = stack, .cpu = cpu};
		char text[8];
		bool has;

		assert_true(sink.sample(sink.data, &sample));
		assert_true(sink.sample(sink.data, &sample));
		assert_int_equal(profile->row_count, cpu + 1);
		has = sprof_labels_find(profile, &profile->rows[cpu], "cpu", 0, text, sizeof(text));
		assert_int_equal(has, names[cpu] != NULL);
		if (has)
			assert_string_equal(text, names[cpu]);
	}
	sprof_profile_destroy(profile);
}

static void a_stack_without_frames_says_why(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	struct sprof_stack_view view = {.end = SPROF_END_NO_MODULE};
	const struct sprof_profile_location *location;
	uint32_t id;

	assert_true(sink.stack(sink.data, &view, &id));
	location = &profile->locations[profile->stacks[id].location];
	assert_string_equal(profile->functions[profile->lines[location->first_line].function].name,
		"[no-module]");
	sprof_profile_destroy(profile);
}

static void threads_and_processes_keep_their_last_names(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);

	announce(&sink, 0, 100, "sh", "sh -c x");
	announce(&sink, 2, 100, "worker", NULL);
	announce(&sink, 5, 200, "other", NULL);
	announce(&sink, 0, 100, "x", "x --now");
	assert_int_equal(profile->thread_count, 3);
	assert_int_equal(profile->process_count, 2);
	assert_string_equal(profile->threads[0].name, "x");
	assert_string_equal(profile->threads[1].name, "worker");
	assert_int_equal(profile->threads[1].tid, 102);
	assert_string_equal(profile->processes[0].name, "x --now");
	assert_string_equal(profile->processes[1].name, "other");
	assert_int_equal(profile->threads[2].process, 1);
	sprof_profile_destroy(profile);
}

/* Its own name and its own threads. */
static void a_pid_that_comes_again_is_another_process(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	struct sprof_thread_record record = {
		.pid = 100, .tid = 100, .name = "cc", .process_name = "cc a.c"};

	assert_true(sink.thread(sink.data, &record));
	record = (struct sprof_thread_record){.id = 1,
		.process = 1,
		.pid = 100,
		.tid = 100,
		.name = "ld",
		.process_name = "ld a.o"};
	assert_true(sink.thread(sink.data, &record));
	assert_int_equal(profile->process_count, 2);
	assert_string_equal(profile->processes[profile->threads[0].process].name, "cc a.c");
	assert_string_equal(profile->processes[profile->threads[1].process].name, "ld a.o");
	sprof_profile_destroy(profile);
}

static void samples_meet_their_thread_by_its_id(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	const struct sprof_frame frame = {16, 0, false};
	uint32_t stack = stack_of(&sink, &frame, 1);

	announce(&sink, 7, 100, "late", NULL);
	take(&sink, 7, stack, SPROF_STATE_USER);
	take(&sink, 7, stack, SPROF_STATE_USER);
	assert_true(sink.charge(
		sink.data, 7, &(struct sprof_charge){.times = {{9, 0, 0, 0}}, .last = true}));
	assert_int_equal(profile->row_count, 1);
	assert_int_equal(profile->rows[0].thread, 0);
	assert_int_equal(profile->rows[0].metrics.samples, 2);
	assert_int_equal(profile->rows[0].metrics.times.ns[SPROF_TIME_USER], 9);
	assert_int_equal(profile->threads[0].samples, 2);
	assert_int_equal(profile->threads[0].first_ns, 1000);
	sprof_profile_destroy(profile);
}

static void a_new_name_is_remembered(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);

	announce(&sink, 0, 100, "app", NULL);
	announce(&sink, 0, 100, "helper", NULL);
	announce(&sink, 0, 100, "flusher", NULL);
	assert_string_equal(profile->threads[0].name, "flusher");
	assert_string_equal(profile->threads[0].former_names, "app, helper");
	sprof_profile_destroy(profile);
}

static void what_met_no_sample_ends_as_unsampled(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	const struct sprof_frame frame = {16, 0, false};
	const struct sprof_profile_row *row;

	announce(&sink, 0, 100, "main", NULL);
	take(&sink, 0, stack_of(&sink, &frame, 1), SPROF_STATE_SYS);
	assert_true(sink.charge(sink.data, 0, &(struct sprof_charge){.times = {{40, 60, 0, 0}}}));
	assert_int_equal(profile->row_count, 1);
	assert_true(sprof_profile_adds_up(profile));
	assert_true(sink.charge(
		sink.data, 0, &(struct sprof_charge){.times = {{2, 0, 0, 8}}, .last = true}));
	assert_int_equal(profile->row_count, 2);
	row = &profile->rows[1];
	assert_int_equal(row->stack, example_stack(profile, "[unsampled]"));
	assert_int_equal(row->metrics.samples, 0);
	assert_int_equal(row->metrics.times.ns[SPROF_TIME_USER], 42);
	assert_int_equal(row->metrics.times.ns[SPROF_TIME_SLEEP], 8);
	assert_true(sprof_profile_adds_up(profile));
	sprof_profile_destroy(profile);
}

/* After the last charge nothing is carried, so the rows alone are the kernel's figures. */
/* A snapshot is written while the threads live: its rows are all that was charged, too. */
static void what_waits_for_a_sample_can_be_settled(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	uint64_t sum = 0;

	announce(&sink, 0, 100, "main", "./prog");
	take(&sink, 0, stack_of(&sink, &(struct sprof_frame){16, 0, false}, 1), SPROF_STATE_SLEEP);
	assert_true(sink.charge(sink.data, 0, &(struct sprof_charge){.times = {{7, 0, 3, 90}}}));
	assert_int_equal(profile->row_count, 1);
	assert_true(sprof_profile_settle(profile) && sprof_profile_settle(profile));
	assert_int_equal(profile->row_count, 2);
	for (size_t i = 0; i < profile->row_count; i++)
		sum += sprof_metrics_get(&profile->rows[i].metrics, SPROF_WEIGHT_WALL);
	assert_int_equal(sum, 100);
	assert_true(sprof_profile_adds_up(profile));
	sprof_profile_destroy(profile);
}

static void rows_add_up_to_the_charges(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_sink sink = sprof_profile_sink(profile);
	struct sprof_times charged[4] = {0}, found[4] = {0};
	unsigned short seed[3] = {4, 5, 6};
	const uint32_t threads = 4;

	for (uint32_t id = 0; id < threads; id++)
		announce(&sink, id, 100, "thread", NULL);
	for (int round = 0; round < 4000; round++) {
		uint32_t id = (uint32_t)nrand48(seed) % threads;
		const struct sprof_frame frames[] = {
			{(uint64_t)nrand48(seed) % 50, 0, false}, {7, 0, true}};
		struct sprof_times times = {0};

		take(&sink, id, stack_of(&sink, frames, 2),
			(enum sprof_state)(nrand48(seed) % SPROF_STATE_COUNT));
		if (nrand48(seed) % 3)
			continue;
		for (int i = 0; i < SPROF_TIME_COUNT; i++) {
			times.ns[i] = (uint64_t)nrand48(seed);
			charged[id].ns[i] += times.ns[i];
		}
		assert_true(sink.charge(sink.data, id, &(struct sprof_charge){.times = times}));
	}
	for (uint32_t id = 0; id < threads; id++)
		assert_true(sink.charge(sink.data, id, &(struct sprof_charge){.last = true}));
	for (size_t i = 0; i < profile->row_count; i++) {
		for (int k = 0; k < SPROF_TIME_COUNT; k++)
			found[profile->rows[i].thread].ns[k] +=
				profile->rows[i].metrics.times.ns[k];
	}
	assert_memory_equal(charged, found, sizeof(found));
	for (uint32_t id = 0; id < threads; id++)
		assert_memory_equal(&profile->threads[id].times, &charged[id], sizeof(charged[id]));
	sprof_profile_destroy(profile);
}

static void describes_itself(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_quality quality = {.ticks = 5, .frames_unresolved = 77};
	char command[] = "make all";

	assert_true(sprof_profile_describe(profile, command, 12));
	memset(command, 0, sizeof(command));
	assert_string_equal(profile->command, "make all");
	assert_int_equal(profile->start_realtime_ns, 12);
	sprof_profile_set_quality(profile, &quality);
	assert_int_equal(profile->quality.ticks, 5);
	assert_int_equal(profile->quality.frames_unresolved, 0);
	sprof_profile_destroy(profile);
	sprof_profile_destroy(NULL);
}

TEST_MAIN("profile")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_stacks_are_one_and_share_their_roots),
		cmocka_unit_test(module_offset_and_kind_tell_frames_apart),
		cmocka_unit_test(many_similar_stacks_are_never_mixed_up),
		cmocka_unit_test(samples_say_their_cpu),
		cmocka_unit_test(a_stack_without_frames_says_why),
		cmocka_unit_test(threads_and_processes_keep_their_last_names),
		cmocka_unit_test(a_pid_that_comes_again_is_another_process),
		cmocka_unit_test(samples_meet_their_thread_by_its_id),
		cmocka_unit_test(a_new_name_is_remembered),
		cmocka_unit_test(what_met_no_sample_ends_as_unsampled),
		cmocka_unit_test(what_waits_for_a_sample_can_be_settled),
		cmocka_unit_test(rows_add_up_to_the_charges),
		cmocka_unit_test(describes_itself),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
