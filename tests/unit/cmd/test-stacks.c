/*
 * cmd/stacks: the last stack of each thread, whatever order records come in.
 */
#include "cmd/dump/stacks.h"

#include "tests/unit/check.h"

static void know(const struct sprof_sink *sink, uint32_t id, pid_t pid, pid_t tid, const char *name)
{
	const struct sprof_thread_record record = {.id = id, .pid = pid, .tid = tid, .name = name};

	assert_true(sink->thread(sink->data, &record));
}

static uint32_t push(const struct sprof_sink *sink, uint64_t first_offset, size_t count)
{
	struct sprof_frame frames[8];
	const struct sprof_stack_view view = {
		.frames = frames, .count = count, .end = SPROF_END_DEPTH};
	uint32_t id = UINT32_MAX;

	assert_true(count <= 8);
	for (size_t i = 0; i < count; i++)
		frames[i] = (struct sprof_frame){.offset = first_offset + i, .is_return = i > 0};
	assert_true(sink->stack(sink->data, &view, &id));
	return id;
}

static void sample(const struct sprof_sink *sink, uint32_t thread, uint32_t stack)
{
	const struct sprof_sample record = {
		.thread = thread, .stack = stack, .state = SPROF_STATE_USER};

	assert_true(sink->sample(sink->data, &record));
}

static void the_last_sample_counts(void **state)
{
	struct sprof_stacks stacks = {0};
	const struct sprof_sink sink = sprof_stacks_sink(&stacks);
	uint32_t one, two;

	know(&sink, 0, 10, 10, "main");
	one = push(&sink, 100, 3);
	two = push(&sink, 200, 2);
	assert_int_not_equal(one, two);
	sample(&sink, 0, one);
	sample(&sink, 0, two);
	assert_int_equal(stacks.thread_count, 1);
	assert_true(stacks.threads[0].sampled);
	assert_int_equal(stacks.threads[0].frame_count, 2);
	assert_int_equal(stacks.threads[0].frames[1].offset, 201);
	assert_true(stacks.threads[0].frames[1].is_return);
	assert_int_equal(stacks.threads[0].end, SPROF_END_DEPTH);
	sprof_stacks_finish(&stacks);
}

static void threads_are_ordered_by_their_ids(void **state)
{
	struct sprof_stacks stacks = {0};
	const struct sprof_sink sink = sprof_stacks_sink(&stacks);

	know(&sink, 2, 10, 10, "main");
	know(&sink, 0, 10, 12, "late");
	know(&sink, 1, 9, 9, "other");
	sprof_stacks_sort(&stacks);
	assert_int_equal(stacks.thread_count, 3);
	assert_string_equal(stacks.threads[0].name, "other");
	assert_string_equal(stacks.threads[1].name, "main");
	assert_string_equal(stacks.threads[2].name, "late");
	assert_false(stacks.threads[2].sampled);
	sprof_stacks_finish(&stacks);
}

static void a_new_name_replaces_the_old(void **state)
{
	struct sprof_stacks stacks = {0};
	const struct sprof_sink sink = sprof_stacks_sink(&stacks);

	know(&sink, 0, 1, 1, "before");
	know(&sink, 0, 1, 1, "after");
	assert_string_equal(stacks.threads[0].name, "after");
	sprof_stacks_finish(&stacks);
	sprof_stacks_sort(&stacks);
}

static void an_empty_stack_is_one(void **state)
{
	struct sprof_stacks stacks = {0};
	const struct sprof_sink sink = sprof_stacks_sink(&stacks);

	know(&sink, 0, 1, 1, "x");
	sample(&sink, 0, push(&sink, 0, 0));
	assert_true(stacks.threads[0].sampled);
	assert_int_equal(stacks.threads[0].frame_count, 0);
	sprof_stacks_finish(&stacks);
}

TEST_MAIN("stacks")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_sample_counts),
		cmocka_unit_test(threads_are_ordered_by_their_ids),
		cmocka_unit_test(a_new_name_replaces_the_old),
		cmocka_unit_test(an_empty_stack_is_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
