/*
 * Frames out of made-up memory: whole chains, cyclic ones, pointers that lead nowhere, a thread whose
 * state is gone.
 */
#include <string.h>

#include "tests/unit/interp/made-up.h"

static void test_frames(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 5);
	assert_int_equal(scene->copy->frames[0].address, scene_frame_at(4));
	assert_false(scene->copy->frames[0].is_entry);
	assert_true(scene->copy->frames[4].is_entry);
	scene_check_name(scene, "parse", 11);
}

static void test_where_they_were_before_takes_one_call(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_true(sprof_python_learn(&scene->process.common, scene->thread, scene->copy));
	scene_put_frames(scene, 8);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 8);
	/* and the structure that would be on the native stack */
	assert_in_range(scene->calls, 1, 3);
}

/* The caller reads its own stack, with the structure on it, and the frames by one call. */
static void test_together_with_the_stack(void **state)
{
	const struct sprof_interp_subject subject = {.own_tid = OWN_TID};
	struct scene *scene = *state;
	uint8_t bytes[0x100];
	struct sprof_interp_stack stack = {.base = CFRAME, .bytes = bytes};
	struct sprof_memory_piece *pieces;
	size_t count;

	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_true(sprof_python_learn(&scene->process.common, scene->thread, scene->copy));
	assert_true(sprof_interp_prepare(
		&scene->process.common, &scene->memory, &subject, &scene->thread, &scene->copy));
	scene->calls = 0;
	pieces = sprof_interp_pieces(&scene->process.common, scene->thread, scene->copy, &count);
	assert_non_null(pieces);
	pieces[0] = (struct sprof_memory_piece){
		.address = CFRAME, .buffer = bytes, .size = sizeof(bytes)};
	scene_read_pieces(scene, pieces, count);
	stack.size = pieces[0].got;
	sprof_interp_copy(
		&scene->process.common, &scene->memory, &stack, scene->thread, scene->copy);
	assert_int_equal(scene->copy->outcome, SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 5);
	assert_int_equal(scene->calls, 1);
}

/* What the caller has not got, or has asked for another thread, is read again. */
static void test_pieces_that_were_not_read(void **state)
{
	struct scene *scene = *state;
	struct sprof_interp_thread other;
	size_t count;

	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_true(sprof_python_learn(&scene->process.common, scene->thread, scene->copy));
	assert_non_null(
		sprof_interp_pieces(&scene->process.common, scene->thread, scene->copy, &count));
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 5);
	other = *scene->thread;
	other.block_count = 0;
	assert_non_null(sprof_interp_pieces(&scene->process.common, &other, scene->copy, &count));
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 5);
}

/* Where all frames were found, the next copy looks again; calls that have ended are dropped in time. */
static void test_blocks_are_kept_for_a_while(void **state)
{
	struct scene *scene = *state;
	unsigned copies = 0;
	uint64_t frames;

	scene->process.offsets.cframe_frame = SPROF_PYTHON_NOWHERE;
	scene_put_frames(scene, 20);
	scene_put(scene, STATE + scene->offsets->thread_frame, scene_frame_at(19));
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_true(sprof_python_learn(&scene->process.common, scene->thread, scene->copy));
	assert_int_equal(scene->thread->block_count, 1);
	frames = scene->thread->blocks[0].size;
	scene_put(scene, STATE + scene->offsets->thread_frame, scene_frame_at(1));
	for (; scene->thread->blocks[0].size == frames && copies < 100; copies++) {
		assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
		assert_int_equal(scene->calls, 1);
		assert_true(sprof_python_learn(&scene->process.common, scene->thread, scene->copy));
	}
	assert_in_range(copies, 2, 99);
}

/* Since 3.15 there is a frame below the outermost one. */
static void test_frames_above_a_base(void **state)
{
	struct scene *scene = *state;

	scene->process.offsets.thread_base = scene->offsets->thread_id + WORD;
	scene->process.offsets.cframe_frame = SPROF_PYTHON_NOWHERE;
	scene_put(scene, STATE + scene->process.offsets.thread_base, scene_frame_at(0));
	scene_put(scene, STATE + scene->offsets->thread_frame, scene_frame_at(4));
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 4);
	scene_put(scene, STATE + scene->offsets->thread_frame, scene_frame_at(0));
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 0);
}

static void test_a_cycle_ends(void **state)
{
	struct scene *scene = *state;

	scene_put(scene, scene_frame_at(0) + scene->offsets->frame_previous, scene_frame_at(4));
	assert_int_equal(scene_copy(scene), SPROF_INTERP_TORN);
	assert_true(scene->copy->frame_count <= SPROF_INTERP_DEEPEST);
}

static void test_frames_that_are_not_there(void **state)
{
	struct scene *scene = *state;

	scene_put(scene, scene_frame_at(2) + scene->offsets->frame_previous, 0xdead000000);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_TORN);
}

/* A loop that begins has made its structure the current one, without a frame in it yet. */
static void test_a_loop_that_begins(void **state)
{
	struct scene *scene = *state;

	scene_put(scene, STATE + scene->offsets->thread_frame, CFRAME + 0x100);
	scene_put(scene, CFRAME + 0x100 + scene->offsets->cframe_frame, 0xdead000000);
	scene_put(scene, CFRAME + 0x100 + scene->offsets->cframe_frame + WORD, CFRAME);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	assert_int_equal(scene->copy->frame_count, 5);
}

static void test_a_state_of_another_thread(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	scene_put(scene, STATE + scene->offsets->thread_id, OWN_TID + 2);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_NO_STATE);
}

static void test_a_cyclic_list_of_threads(void **state)
{
	struct scene *scene = *state;

	scene_put(scene, STATE + scene->offsets->thread_id, OWN_TID + 2);
	scene_put(scene, STATE + scene->offsets->thread_next, OTHER_STATE);
	scene_put(scene, INTERPRETER + scene->offsets->interpreter_next, INTERPRETER);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_NO_STATE);
}

static void test_texts(void **state)
{
	struct scene *scene = *state;
	const uint16_t wide[] = {0x47, 0xe4, 0x20ac};
	char text[16];

	scene_put(scene, NAME + scene->offsets->text_length, 3);
	scene_put(scene, NAME + scene->offsets->text_state, 2 << 2 | 1 << 5);
	memcpy(scene->bytes + (NAME - BASE) + scene->offsets->wide_data, wide, sizeof(wide));
	assert_true(sprof_python_text(scene->offsets, &scene->memory, NAME, text, sizeof(text)));
	assert_string_equal(text, "G\xc3\xa4\xe2\x82\xac");
	scene_put(scene, NAME + scene->offsets->text_length, UINT64_MAX);
	assert_false(sprof_python_text(scene->offsets, &scene->memory, NAME, text, sizeof(text)));
	scene_put(scene, NAME + scene->offsets->text_state, 0);
	assert_false(sprof_python_text(scene->offsets, &scene->memory, NAME, text, sizeof(text)));
}

TEST_MAIN("python-copy")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frames, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_where_they_were_before_takes_one_call, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_together_with_the_stack, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_pieces_that_were_not_read, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_blocks_are_kept_for_a_while, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_frames_above_a_base, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(test_a_cycle_ends, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_frames_that_are_not_there, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_loop_that_begins, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_state_of_another_thread, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_a_cyclic_list_of_threads, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(test_texts, scene_set_up, scene_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
