/*
 * Code objects out of made-up memory: new ones, freed or replaced ones, copies of the bytecode, and
 * those that tracebacks don't show.
 */
#include <string.h>

#include "base/script.h"
#include "tests/unit/interp/made-up.h"

/* One that can't be read is found missing, and those behind it are read. */
static void test_headers_take_one_call(void **state)
{
	static const uint64_t codes[] = {0xdead000000, CODE + 0x200, CODE, CODE + 0x400};
	struct scene *scene = *state;
	const struct sprof_frame *found;

	for (unsigned i = 1; i < 4; i++) {
		memmove(scene->bytes + (codes[i] - BASE), scene->bytes + (CODE - BASE), 0x200);
		scene_put(scene, scene_frame_at(i) + scene->offsets->frame_code, codes[i]);
	}
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	scene_names(scene);
	scene->calls = 0;
	scene_names(scene);
	assert_int_equal(scene->calls, 1);
	scene_put(scene, scene_frame_at(0) + scene->offsets->frame_code, codes[0]);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	found = scene_names(scene);
	assert_int_equal(found[3].offset >> 22, found[0].offset >> 22);
	assert_int_not_equal(found[4].module, found[0].module);
}

static void test_code_that_is_replaced(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	scene_check_name(scene, "parse", 11);
	scene_put_code(scene, "other");
	scene_put(scene, CODE + scene->offsets->code_line, 20);
	scene_check_name(scene, "other", 21);
}

static void test_code_that_is_freed(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	scene_put(scene, CODE + scene->offsets->object_type, TYPE + 8);
	scene_check_name(scene, "[freed code]", 0);
	scene_put(scene, CODE + scene->offsets->object_type, TYPE);
	scene_put(scene, CODE + scene->offsets->code_name, 0x77);
	scene_check_name(scene, "[freed code]", 0);
}

/* All that it led to may still be there, but its table of lines may be of another object by now. */
static void test_code_that_an_allocator_has_back(void **state)
{
	struct scene *scene = *state;

	scene_put(scene, CODE, 0x7f0012345670);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	scene_check_name(scene, scene->offsets->object_type == 8 ? "[freed code]" : "parse",
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
	scene_put(scene, TABLE + scene->offsets->bytes_size, 0x8000);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	for (int i = 0; i < 2100; i++)
		assert_false(sprof_python_name_frames(&scene->process.common, &scene->memory,
			scene->modules, scene->copy, &found));
	scene_put_text(scene, FILE_NAME, "/other.py");
	scene_check_name(scene, "parse", 11);
}

/* As _Py_InitCleanup of 3.13 and later: one string is its file and name, and it has no line. */
static void test_code_that_tracebacks_hide(void **state)
{
	struct scene *scene = *state;

	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	scene_put(scene, CODE + scene->offsets->code_file, NAME);
	assert_int_not_equal(scene_names(scene)->module, SPROF_INTERP_HIDDEN);
	scene_put(scene, CODE + scene->offsets->code_line, 0);
	assert_int_equal(scene_names(scene)->module, SPROF_INTERP_HIDDEN);
	/* exec(compile(text, "", "exec")) has two strings */
	scene_put(scene, CODE + scene->offsets->code_file, FILE_NAME);
	assert_int_not_equal(scene_names(scene)->module, SPROF_INTERP_HIDDEN);
}

static void put_copy(struct scene *scene, uint64_t copies, uint64_t instruction)
{
	struct sprof_python_offsets *offsets = &scene->process.offsets;

	offsets->frame_copy = 16;
	offsets->code_copies = offsets->code_bytecode - WORD;
	scene_put(scene, scene_frame_at(4) + offsets->frame_copy, 1);
	scene_put(scene, scene_frame_at(4) + offsets->frame_instruction, instruction);
	scene_put(scene, CODE + offsets->code_copies, copies);
}

/* Without a GIL, each thread may run bytecode of its own. */
static void test_copies_of_the_bytecode(void **state)
{
	const uint64_t copies = TABLE + 0x100, bytecode = TABLE + 0x200;
	struct scene *scene = *state;

	scene_put(scene, copies, 2);
	scene_put(scene, copies + WORD, CODE + scene->offsets->code_bytecode);
	scene_put(scene, copies + 2 * WORD, bytecode);
	put_copy(scene, copies, bytecode + 2);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	scene_check_name(scene, "parse", 11);
	put_copy(scene, 0xdead000000, bytecode + 4);
	assert_int_equal(scene_copy(scene), SPROF_INTERP_READ);
	scene_check_name(scene, "parse", 0);
}

TEST_MAIN("python-codes")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_headers_take_one_call, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_code_that_is_replaced, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_code_that_is_freed, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_code_that_an_allocator_has_back, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_code_that_cannot_be_listed, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_code_that_tracebacks_hide, scene_set_up, scene_tear_down),
		cmocka_unit_test_setup_teardown(
			test_copies_of_the_bytecode, scene_set_up, scene_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
