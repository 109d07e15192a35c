/*
 * Frames out of made-up memory of a 3.11: whole chains, cyclic ones, pointers that lead nowhere, a
 * thread whose state is gone, code objects that have been freed or replaced.
 */
#include <stdlib.h>
#include <string.h>

#include "base/script.h"
#include "interp/python.h"
#include "tests/unit/check.h"

enum {
	BASE = 0x100000,
	SIZE = 0x10000,
	WORD = 8,
	OWN_TID = 4711,
	/* places in the memory */
	RUNTIME = BASE,
	INTERPRETER = BASE + 0x1000,
	STATE = BASE + 0x2000,
	OTHER_STATE = BASE + 0x2800,
	CFRAME = BASE + 0x3000,
	FRAMES = BASE + 0x4000,
	CODE = BASE + 0x6000,
	NAME = BASE + 0x7000,
	FILE_NAME = BASE + 0x7100,
	TABLE = BASE + 0x7200,
	TYPE = BASE + 0x8000,
	FRAME = 0x80, /* distance of two frames */
};

struct scene {
	uint8_t bytes[SIZE];
	unsigned calls;
	const struct sprof_python_offsets *offsets;
	struct sprof_interp_memory memory;
	struct sprof_interp_process process;
	struct sprof_interp_thread *thread;
	struct sprof_interp_copy *copy;
	struct sprof_modules *modules;
};

static size_t read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	struct scene *scene = data;

	scene->calls++;
	if (address < BASE || address >= BASE + SIZE)
		return 0;
	if (size > BASE + SIZE - address)
		size = BASE + SIZE - address;
	memcpy(buffer, scene->bytes + (address - BASE), size);
	return size;
}

static void read_pieces(void *data, struct sprof_memory_piece *pieces, size_t count)
{
	struct scene *scene = data;
	const unsigned calls = scene->calls + 1;

	for (size_t i = 0; i < count; i++)
		pieces[i].got =
			read_memory(data, pieces[i].address, pieces[i].buffer, pieces[i].size);
	scene->calls = calls;
}

static void put(struct scene *scene, uint64_t address, uint64_t value)
{
	memcpy(scene->bytes + (address - BASE), &value, sizeof(value));
}

static void put_text(struct scene *scene, uint64_t address, const char *text)
{
	put(scene, address + scene->offsets->text_length, strlen(text));
	put(scene, address + scene->offsets->text_state, 1 << 2 | 1 << 5 | 1 << 6);
	strcpy((char *)scene->bytes + (address - BASE) + scene->offsets->ascii_data, text);
}

static void put_code(struct scene *scene, const char *name)
{
	const struct sprof_python_offsets *offsets = scene->offsets;

	put(scene, CODE, 1); /* one reference */
	put(scene, CODE + offsets->object_type, TYPE);
	put(scene, CODE + offsets->code_line, 10);
	put(scene, CODE + offsets->code_name, NAME);
	put(scene, CODE + offsets->code_file, FILE_NAME);
	put(scene, CODE + offsets->code_table, TABLE);
	put_text(scene, NAME, name);
	put_text(scene, FILE_NAME, "/app.py");
	put(scene, TABLE + offsets->bytes_size, 2);
	scene->bytes[TABLE - BASE + offsets->bytes_data] = 0x80 | 13 << 3 | 7;
	scene->bytes[TABLE - BASE + offsets->bytes_data + 1] = 2;
}

static uint64_t frame_at(unsigned index)
{
	return FRAMES + (uint64_t)index * FRAME;
}

/* Frame 0 is the outermost, and was entered from C. */
static void put_frames(struct scene *scene, unsigned count)
{
	const struct sprof_python_offsets *offsets = scene->offsets;

	for (unsigned i = 0; i < count; i++) {
		put(scene, frame_at(i) + offsets->frame_previous, i ? frame_at(i - 1) : 0);
		put(scene, frame_at(i) + offsets->frame_code, CODE);
		put(scene, frame_at(i) + offsets->frame_instruction,
			CODE + offsets->code_bytecode + 2);
		scene->bytes[frame_at(i) - BASE + offsets->frame_is_entry] = !i;
	}
	put(scene, CFRAME + offsets->cframe_frame, frame_at(count - 1));
}

static int set_up(void **state)
{
	struct scene *scene = calloc(1, sizeof(*scene));
	const struct sprof_python_offsets *offsets = sprof_python_offsets_of(0x030b);

	assert_non_null(scene);
	scene->offsets = offsets;
	scene->memory = (struct sprof_interp_memory){scene, read_memory, read_pieces};
	scene->modules = sprof_modules_create();
	scene->process = (struct sprof_interp_process){.serial = 1,
		.offsets = *offsets,
		.runtime = RUNTIME,
		.code_type = TYPE,
		.is_known = true,
		.codes = sprof_python_codes_create()};
	put(scene, RUNTIME + offsets->runtime_interpreters, INTERPRETER);
	put(scene, INTERPRETER + offsets->interpreter_threads, OTHER_STATE);
	put(scene, OTHER_STATE + offsets->thread_next, STATE);
	put(scene, OTHER_STATE + offsets->thread_id, OWN_TID + 1);
	put(scene, STATE + offsets->thread_id, OWN_TID);
	put(scene, STATE + offsets->thread_frame, CFRAME);
	put_code(scene, "parse");
	put_frames(scene, 5);
	*state = scene;
	return 0;
}

static int tear_down(void **state)
{
	struct scene *scene = *state;

	sprof_interp_thread_destroy(scene->thread);
	sprof_interp_copy_destroy(scene->copy);
	sprof_python_codes_destroy(scene->process.codes);
	sprof_modules_destroy(scene->modules);
	free(scene);
	return 0;
}

static enum sprof_python_outcome copy(struct scene *scene)
{
	const struct sprof_interp_subject subject = {.own_tid = OWN_TID};
	const struct sprof_interp_stack stack = {0};

	assert_true(sprof_interp_prepare(
		&scene->process, &scene->memory, &subject, &scene->thread, &scene->copy));
	scene->calls = 0;
	sprof_interp_copy(&scene->process, &scene->memory, &stack, scene->thread, scene->copy);
	return scene->copy->outcome;
}

static const struct sprof_frame *names(struct scene *scene)
{
	const struct sprof_frame *found;

	assert_true(sprof_python_codes_name(
		&scene->process, &scene->memory, scene->modules, scene->copy, &found));
	return found;
}

static void check_name(struct scene *scene, const char *name, uint32_t line)
{
	const struct sprof_frame *frame = names(scene);
	const struct sprof_module *module = sprof_modules_get(scene->modules, frame->module);
	const struct sprof_script_function *function;
	uint32_t found;

	function = sprof_script_find(module->script, frame->offset, &found);
	assert_non_null(function);
	assert_string_equal(function->name, name);
	assert_int_equal(found, line);
}

static void test_frames(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_int_equal(scene->copy->frame_count, 5);
	assert_int_equal(scene->copy->frames[0].address, frame_at(4));
	assert_false(scene->copy->frames[0].is_entry);
	assert_true(scene->copy->frames[4].is_entry);
	check_name(scene, "parse", 11);
}

static void test_where_they_were_before_takes_one_call(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_true(sprof_python_learn(scene->offsets, scene->thread, scene->copy));
	put_frames(scene, 8);
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
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

	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_true(sprof_python_learn(scene->offsets, scene->thread, scene->copy));
	assert_true(sprof_interp_prepare(
		&scene->process, &scene->memory, &subject, &scene->thread, &scene->copy));
	scene->calls = 0;
	pieces = sprof_interp_pieces(&scene->process, scene->thread, scene->copy, &count);
	assert_non_null(pieces);
	pieces[0] = (struct sprof_memory_piece){
		.address = CFRAME, .buffer = bytes, .size = sizeof(bytes)};
	read_pieces(scene, pieces, count);
	stack.size = pieces[0].got;
	sprof_interp_copy(&scene->process, &scene->memory, &stack, scene->thread, scene->copy);
	assert_int_equal(scene->copy->outcome, SPROF_PYTHON_READ);
	assert_int_equal(scene->copy->frame_count, 5);
	assert_int_equal(scene->calls, 1);
}

/* What the caller has not got, or has asked for another thread, is read again. */
static void test_pieces_that_were_not_read(void **state)
{
	struct scene *scene = *state;
	struct sprof_interp_thread other;
	size_t count;

	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_true(sprof_python_learn(scene->offsets, scene->thread, scene->copy));
	assert_non_null(sprof_interp_pieces(&scene->process, scene->thread, scene->copy, &count));
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_int_equal(scene->copy->frame_count, 5);
	other = *scene->thread;
	other.block_count = 0;
	assert_non_null(sprof_interp_pieces(&scene->process, &other, scene->copy, &count));
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_int_equal(scene->copy->frame_count, 5);
}

/* Where all frames were found, the next copy looks again; calls that have ended are dropped in time. */
static void test_blocks_are_kept_for_a_while(void **state)
{
	struct scene *scene = *state;
	unsigned copies = 0;
	uint64_t frames;

	scene->process.offsets.cframe_frame = SPROF_PYTHON_NOWHERE;
	put_frames(scene, 20);
	put(scene, STATE + scene->offsets->thread_frame, frame_at(19));
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_true(sprof_python_learn(scene->offsets, scene->thread, scene->copy));
	assert_int_equal(scene->thread->block_count, 1);
	frames = scene->thread->blocks[0].size;
	put(scene, STATE + scene->offsets->thread_frame, frame_at(1));
	for (; scene->thread->blocks[0].size == frames && copies < 100; copies++) {
		assert_int_equal(copy(scene), SPROF_PYTHON_READ);
		assert_int_equal(scene->calls, 1);
		assert_true(sprof_python_learn(scene->offsets, scene->thread, scene->copy));
	}
	assert_in_range(copies, 2, 99);
}

/* Since 3.15 there is a frame below the outermost one. */
static void test_frames_above_a_base(void **state)
{
	struct scene *scene = *state;

	scene->process.offsets.thread_base = scene->offsets->thread_id + WORD;
	scene->process.offsets.cframe_frame = SPROF_PYTHON_NOWHERE;
	put(scene, STATE + scene->process.offsets.thread_base, frame_at(0));
	put(scene, STATE + scene->offsets->thread_frame, frame_at(4));
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_int_equal(scene->copy->frame_count, 4);
	put(scene, STATE + scene->offsets->thread_frame, frame_at(0));
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_int_equal(scene->copy->frame_count, 0);
}

static void test_a_cycle_ends(void **state)
{
	struct scene *scene = *state;

	put(scene, frame_at(0) + scene->offsets->frame_previous, frame_at(4));
	assert_int_equal(copy(scene), SPROF_PYTHON_TORN);
	assert_true(scene->copy->frame_count <= SPROF_PYTHON_DEEPEST);
}

static void test_frames_that_are_not_there(void **state)
{
	struct scene *scene = *state;

	put(scene, frame_at(2) + scene->offsets->frame_previous, 0xdead000000);
	assert_int_equal(copy(scene), SPROF_PYTHON_TORN);
}

/* A loop that begins has made its structure the current one, without a frame in it yet. */
static void test_a_loop_that_begins(void **state)
{
	struct scene *scene = *state;

	put(scene, STATE + scene->offsets->thread_frame, CFRAME + 0x100);
	put(scene, CFRAME + 0x100 + scene->offsets->cframe_frame, 0xdead000000);
	put(scene, CFRAME + 0x100 + scene->offsets->cframe_frame + WORD, CFRAME);
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	assert_int_equal(scene->copy->frame_count, 5);
}

static void test_a_state_of_another_thread(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	put(scene, STATE + scene->offsets->thread_id, OWN_TID + 2);
	assert_int_equal(copy(scene), SPROF_PYTHON_NO_STATE);
}

static void test_a_cyclic_list_of_threads(void **state)
{
	struct scene *scene = *state;

	put(scene, STATE + scene->offsets->thread_id, OWN_TID + 2);
	put(scene, STATE + scene->offsets->thread_next, OTHER_STATE);
	put(scene, INTERPRETER + scene->offsets->interpreter_next, INTERPRETER);
	assert_int_equal(copy(scene), SPROF_PYTHON_NO_STATE);
}

/* One that can't be read is found missing, and those behind it are read. */
static void test_headers_take_one_call(void **state)
{
	static const uint64_t codes[] = {0xdead000000, CODE + 0x200, CODE, CODE + 0x400};
	struct scene *scene = *state;
	const struct sprof_frame *found;

	for (unsigned i = 1; i < 4; i++) {
		memmove(scene->bytes + (codes[i] - BASE), scene->bytes + (CODE - BASE), 0x200);
		put(scene, frame_at(i) + scene->offsets->frame_code, codes[i]);
	}
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	names(scene);
	scene->calls = 0;
	names(scene);
	assert_int_equal(scene->calls, 1);
	put(scene, frame_at(0) + scene->offsets->frame_code, codes[0]);
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	found = names(scene);
	assert_int_equal(found[3].offset >> 22, found[0].offset >> 22);
	assert_int_not_equal(found[4].module, found[0].module);
}

static void test_code_that_is_replaced(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	check_name(scene, "parse", 11);
	put_code(scene, "other");
	put(scene, CODE + scene->offsets->code_line, 20);
	check_name(scene, "other", 21);
}

static void test_code_that_is_freed(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	put(scene, CODE + scene->offsets->object_type, TYPE + 8);
	check_name(scene, "[freed code]", 0);
	put(scene, CODE + scene->offsets->object_type, TYPE);
	put(scene, CODE + scene->offsets->code_name, 0x77);
	check_name(scene, "[freed code]", 0);
}

/* All that it led to may still be there, but its table of lines may be of another object by now. */
static void test_code_that_an_allocator_has_back(void **state)
{
	struct scene *scene = *state;

	put(scene, CODE, 0x7f0012345670);
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	check_name(scene, scene->offsets->object_type == 8 ? "[freed code]" : "parse",
		scene->offsets->object_type == 8 ? 0 : 11);
}

/* What was read of code that can't be listed is given back: other code still has its lines. */
static void test_code_that_cannot_be_listed(void **state)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_SCRIPT, .path = "/app.py"};
	const struct sprof_frame *found;
	struct scene *scene = *state;
	struct sprof_module *module;
	uint32_t function, line = 0;
	bool is_new;

	module = sprof_modules_intern(scene->modules, &key, &is_new);
	while (sprof_script_intern(module->script, "one of many", line, &function))
		line++;
	put(scene, TABLE + scene->offsets->bytes_size, 0x8000);
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	for (int i = 0; i < 2100; i++)
		assert_false(sprof_python_codes_name(
			&scene->process, &scene->memory, scene->modules, scene->copy, &found));
	put_text(scene, FILE_NAME, "/other.py");
	check_name(scene, "parse", 11);
}

static void put_copy(struct scene *scene, uint64_t copies, uint64_t instruction)
{
	struct sprof_python_offsets *offsets = &scene->process.offsets;

	offsets->frame_copy = 16;
	offsets->code_copies = offsets->code_bytecode - WORD;
	put(scene, frame_at(4) + offsets->frame_copy, 1);
	put(scene, frame_at(4) + offsets->frame_instruction, instruction);
	put(scene, CODE + offsets->code_copies, copies);
}

/* Without a GIL, each thread may run bytecode of its own. */
static void test_copies_of_the_bytecode(void **state)
{
	const uint64_t copies = TABLE + 0x100, bytecode = TABLE + 0x200;
	struct scene *scene = *state;

	put(scene, copies, 2);
	put(scene, copies + WORD, CODE + scene->offsets->code_bytecode);
	put(scene, copies + 2 * WORD, bytecode);
	put_copy(scene, copies, bytecode + 2);
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	check_name(scene, "parse", 11);
	put_copy(scene, 0xdead000000, bytecode + 4);
	assert_int_equal(copy(scene), SPROF_PYTHON_READ);
	check_name(scene, "parse", 0);
}

static void test_texts(void **state)
{
	struct scene *scene = *state;
	const uint16_t wide[] = {0x47, 0xe4, 0x20ac};
	char text[16];

	put(scene, NAME + scene->offsets->text_length, 3);
	put(scene, NAME + scene->offsets->text_state, 2 << 2 | 1 << 5);
	memcpy(scene->bytes + (NAME - BASE) + scene->offsets->wide_data, wide, sizeof(wide));
	assert_true(sprof_python_text(scene->offsets, &scene->memory, NAME, text, sizeof(text)));
	assert_string_equal(text, "G\xc3\xa4\xe2\x82\xac");
	put(scene, NAME + scene->offsets->text_length, UINT64_MAX);
	assert_false(sprof_python_text(scene->offsets, &scene->memory, NAME, text, sizeof(text)));
	put(scene, NAME + scene->offsets->text_state, 0);
	assert_false(sprof_python_text(scene->offsets, &scene->memory, NAME, text, sizeof(text)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_frames, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_where_they_were_before_takes_one_call, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_together_with_the_stack, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_pieces_that_were_not_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_blocks_are_kept_for_a_while, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_headers_take_one_call, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_frames_above_a_base, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_cycle_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_frames_that_are_not_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_loop_that_begins, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_state_of_another_thread, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_a_cyclic_list_of_threads, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_code_that_is_replaced, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_code_that_is_freed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			test_code_that_an_allocator_has_back, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_code_that_cannot_be_listed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_copies_of_the_bytecode, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_texts, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
