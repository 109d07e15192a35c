/*
 * Threads that run in several interpreters: whose frames are above whose is known of the main one, and
 * of no others.
 */
#include <stdlib.h>

#include "tests/unit/interp/made-up.h"

enum {
	SUBS = BASE + 0x9000, /* interpreters, each with what belongs to it */
	APART = 0x1000,
	SUB_STATE = 0x400,
	SUB_FRAME = 0x900,
};

static uint64_t sub_at(unsigned index)
{
	return SUBS + (uint64_t)index * APART;
}

/* On the stack, above that of the main interpreter. */
static uint64_t cframe_of(unsigned index)
{
	return CFRAME - (uint64_t)(index + 1) * 4 * WORD;
}

/* The newest is the first of the list; the thread has a frame in each of them. */
static void put_subs(struct scene *scene, unsigned count)
{
	const struct sprof_python_offsets *offsets = scene->offsets;

	for (unsigned i = 0; i < count; i++) {
		const uint64_t sub = sub_at(i), state = sub + SUB_STATE;

		scene_put(scene, sub + offsets->interpreter_next, i ? sub_at(i - 1) : INTERPRETER);
		scene_put(scene, sub + offsets->interpreter_threads, state);
		scene_put(scene, state + offsets->thread_id, OWN_TID);
		scene_put(scene, state + offsets->thread_frame, cframe_of(i));
		scene_put(scene, cframe_of(i) + offsets->cframe_frame, sub + SUB_FRAME);
		scene_put(scene, sub + SUB_FRAME + offsets->frame_code, CODE);
		scene_put(scene, sub + SUB_FRAME + offsets->frame_is_entry, 1);
	}
	scene_put(scene, RUNTIME + offsets->runtime_interpreters, sub_at(count - 1));
}

static void leave(struct scene *scene, unsigned index)
{
	scene_put(scene, cframe_of(index) + scene->offsets->cframe_frame, 0);
}

static void test_one_above_the_main(void **state)
{
	struct scene *scene = *state;

	put_subs(scene, 1);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_true(scene->thread->has_main);
	assert_int_equal(scene->copy->frame_count, 6);
	assert_int_equal(scene->copy->frames[0].address, sub_at(0) + SUB_FRAME);
	assert_int_equal(scene->copy->frames[5].address, scene_frame_at(0));
}

/* The thread has made the interpreter, another one runs it, on its own stack. */
static void test_one_of_another_thread(void **state)
{
	struct scene *scene = *state;
	const uint32_t id = scene->offsets->thread_frame;

	put_subs(scene, 1);
	scene_put(scene, CFRAME + 4 * WORD + scene->offsets->cframe_frame, sub_at(0) + SUB_FRAME);
	scene_put(scene, sub_at(0) + SUB_STATE + id, CFRAME + 4 * WORD);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 5);
	assert_int_equal(scene->copy->frames[0].address, scene_frame_at(4));
}

/* An interpreter that was made first may call one that was made later, or be called by it. */
static void test_two_above_the_main(void **state)
{
	struct scene *scene = *state;

	put_subs(scene, 2);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_TORN);
	leave(scene, 0);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frames[0].address, sub_at(1) + SUB_FRAME);
	assert_int_equal(scene->copy->frame_count, 6);
}

static void test_two_without_the_main(void **state)
{
	struct scene *scene = *state;

	put_subs(scene, 2);
	scene_put(scene, CFRAME + scene->offsets->cframe_frame, 0);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_TORN);
	leave(scene, 1);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 1);
	assert_int_equal(scene->copy->frames[0].address, sub_at(0) + SUB_FRAME);
}

/* The main interpreter has no state of a thread that was never in it. */
static void test_never_in_the_main(void **state)
{
	struct scene *scene = *state;

	put_subs(scene, 2);
	scene_put(scene, STATE + scene->offsets->thread_id, OWN_TID + 2);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_TORN);
	assert_false(scene->thread->has_main);
	assert_int_equal(scene->thread->state_count, 2);
}

/* Between a fork and an exec, the state has the id of the parent's thread; both have one thread pointer. */
static void test_a_child(void **state)
{
	const uint64_t pointer = 0x7f0000001000;
	struct scene *scene = *state;
	const uint32_t id = scene->offsets->thread_id;

	scene_put(scene, STATE + id, OWN_TID - 1);
	scene_put(scene, STATE + id - WORD, pointer);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_NO_STATE);
	scene->subject.thread_pointer = pointer + WORD;
	assert_int_equal(scene_copy(scene), SPROF_INTERP_NO_STATE);
	scene->subject.thread_pointer = pointer;
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 5);
	/* It goes on in Python, and has told the interpreter its id. */
	scene_put(scene, STATE + id, OWN_TID);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_NO_STATE);
	scene->thread->state_count = 0;
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
}

/* More states than are kept: the main interpreter's is not among them. */
static void test_too_many(void **state)
{
	struct scene *scene = *state;

	put_subs(scene, 6);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_TORN);
	assert_int_equal(scene->thread->state_count, SPROF_INTERP_STATES);
	assert_false(scene->thread->has_main);
}

/* Only one of them runs: the others' places are free for it, and for the main interpreter's. */
static void test_those_in_use_are_kept(void **state)
{
	struct scene *scene = *state;

	for (unsigned used = 0; used < 6; used++) {
		put_subs(scene, 6);
		for (unsigned i = 0; i < 6; i++) {
			if (i != used)
				leave(scene, i);
		}
		if (scene->thread)
			scene->thread->state_count = 0;
		assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
		assert_true(scene->thread->has_main);
		assert_int_equal(scene->thread->state_count, SPROF_INTERP_STATES);
		assert_int_equal(scene->copy->frame_count, 6);
		assert_int_equal(scene->copy->frames[0].address, sub_at(used) + SUB_FRAME);
		assert_int_equal(scene->copy->frames[5].address, scene_frame_at(0));
	}
}

/* Two loops on the native stack; Python's frames of the thread are those of one. */
static enum sprof_merge merge_two_loops(struct scene *scene)
{
	static struct sprof_python_range ranges[] = {{0, 8, SPROF_PYTHON_LOOP}};
	static const struct sprof_python_file file = {.ranges = ranges, .range_count = 1};
	const struct sprof_frame native[] = {{.offset = 4}, {.offset = 4}};
	struct sprof_stack_view stack = {.frames = native, .count = 2, .end = SPROF_END_ROOT};
	struct sprof_interp *interp = sprof_interp_create(scene->modules, SPROF_INTERP_CALLS);
	struct sprof_interp_process *process = &scene->process.common;
	enum sprof_merge merge;

	assert_non_null(interp);
	scene->process.file = &file;
	process->greenlet = SPROF_MAPPING_NO_MODULE;
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	merge = sprof_interp_merge(
		interp, process, &scene->memory, scene->thread, scene->copy, &stack);
	sprof_interp_destroy(interp);
	free(process->parts);
	process->parts = NULL;
	process->part_capacity = 0;
	free(process->frames);
	process->frames = NULL;
	process->frame_capacity = 0;
	return merge;
}

/* The second loop is about to begin; with a second interpreter, its frames may be in that. */
static void test_a_loop_without_frames(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(merge_two_loops(scene), SPROF_MERGE_MERGED);
	put_subs(scene, 1);
	scene_put(scene, sub_at(0) + SUB_STATE + scene->offsets->thread_id, OWN_TID + 2);
	assert_int_equal(merge_two_loops(scene), SPROF_MERGE_MISMATCH);
	/* It may have ended since the stack was copied. */
	scene_put(scene, RUNTIME + scene->offsets->runtime_interpreters, INTERPRETER);
	assert_int_equal(merge_two_loops(scene), SPROF_MERGE_MISMATCH);
}

TEST_MAIN("python-find")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_one_above_the_main, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_one_of_another_thread, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_two_above_the_main, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_two_without_the_main, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_never_in_the_main, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(test_a_child, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(test_too_many, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_those_in_use_are_kept, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_loop_without_frames, scene_set_up, scene_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
