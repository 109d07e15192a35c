/*
 * Merging: native frames and Python's, as they are at every moment of a call, and where they don't
 * fit.
 */
#include <stdlib.h>
#include <string.h>

#include "interp/merge.h"
#include "tests/unit/check.h"

/* Offsets in the file of the interpreter, and one of another module. */
enum {
	LOOP = 0x100,
	CALL = 0x200,
	SORT = 0x300,
	EDGE = 0x400,
	NAMELESS = 0x500,
	SWITCH = 0x600, /* in the module greenlet */
	START = 0x700,
	ELSEWHERE = 0x900,
	PYTHON = 1, /* its module */
	LIBC = 2,
	SCRIPT = 3,
	GREENLET = 4,
};

static struct sprof_python_range ranges[] = {
	{LOOP, LOOP + 0x10, SPROF_PYTHON_LOOP},
	{CALL, CALL + 0x10, SPROF_PYTHON_PLUMBING},
	{SORT, SORT + 0x10, SPROF_PYTHON_OTHER},
	{EDGE, EDGE + 0x10, SPROF_PYTHON_EDGE},
};

static const struct sprof_python_file file = {.ranges = ranges, .range_count = 4};

static enum sprof_python_part part_at(const struct sprof_interp_process *process, uint64_t offset)
{
	return sprof_python_file_part(&file, offset);
}

static const uint64_t STOP = UINT64_MAX;

/* A scene: native frames innermost first, Python's as letters: e an entry, f a frame, s a shim. */
struct scene {
	struct sprof_interp_process process;
	struct sprof_interp_runtime runtime;
	struct sprof_frame native[16], names[16];
	struct sprof_interp_frame frames[16];
	struct sprof_interp_copy copy;
	struct sprof_stack_view stack;
	struct sprof_merge_fit fit;
};

static uint32_t module_of(uint64_t offset)
{
	return offset == ELSEWHERE ? LIBC : offset == SWITCH || offset == START ? GREENLET : PYTHON;
}

static void set_up(struct scene *scene, const uint64_t *native, const char *python)
{
	memset(scene, 0, sizeof(*scene));
	scene->runtime.part = part_at;
	scene->process.runtime = &scene->runtime;
	scene->process.module = PYTHON;
	scene->process.is_known = true;
	scene->process.greenlet = GREENLET;
	scene->process.greenlet_file = (struct sprof_greenlet_file){SWITCH, SWITCH + 0x10};
	for (; *native != STOP; native++)
		scene->native[scene->stack.count++] =
			(struct sprof_frame){.offset = *native, .module = module_of(*native)};
	for (size_t i = 0; python[i]; i++) {
		scene->frames[i].is_entry = python[i] != 'f';
		scene->frames[i].is_shim = python[i] == 's';
		scene->names[i] = (struct sprof_frame){.offset = i, .module = SCRIPT};
	}
	scene->copy = (struct sprof_interp_copy){.outcome = SPROF_INTERP_READ,
		.frames = scene->frames,
		.frame_count = strlen(python)};
	scene->stack.frames = scene->native;
	scene->stack.end = SPROF_END_ROOT;
}

static enum sprof_merge judge_scene(struct scene *scene)
{
	return sprof_merge_judge(&scene->process, &scene->copy, &scene->stack, &scene->fit);
}

static void forget_parts(struct sprof_interp_process *process)
{
	free(process->parts);
	process->parts = NULL;
	process->part_capacity = 0;
}

/* The merged stack: digits are Python's frames, letters native ones. */
static void check(struct scene *scene, enum sprof_interp_mode mode, const char *expected)
{
	char text[32] = "";

	assert_int_equal(judge_scene(scene), SPROF_MERGE_MERGED);
	assert_true(sprof_merge_build(
		&scene->process, mode, &scene->copy, scene->names, &scene->fit, &scene->stack));
	for (size_t i = 0; i < scene->stack.count; i++) {
		const struct sprof_frame *frame = &scene->stack.frames[i];

		text[i] = frame->module == SCRIPT   ? (char)('0' + frame->offset)
			: frame->module == LIBC     ? 'x'
			: frame->offset == START    ? 'g'
			: frame->offset == SWITCH   ? 'w'
			: frame->offset == CALL     ? 'c'
			: frame->offset == SORT     ? 's'
			: frame->offset == NAMELESS ? 'n'
			: frame->offset == EDGE     ? 'e'
						    : '?';
	}
	assert_string_equal(text, expected);
	free(scene->process.frames);
	forget_parts(&scene->process);
}

static void check_unmerged(struct scene *scene, enum sprof_merge why)
{
	assert_int_equal(judge_scene(scene), why);
	forget_parts(&scene->process);
}

static void test_one_loop(void **state)
{
	struct scene scene;

	set_up(&scene, (const uint64_t[]){ELSEWHERE, LOOP, CALL, ELSEWHERE, STOP}, "ffe");
	check(&scene, SPROF_INTERP_CALLS, "x012x");
	set_up(&scene, (const uint64_t[]){ELSEWHERE, LOOP, CALL, ELSEWHERE, STOP}, "ffe");
	check(&scene, SPROF_INTERP_ALL, "x012cx");
	set_up(&scene, (const uint64_t[]){ELSEWHERE, LOOP, CALL, ELSEWHERE, STOP}, "ffe");
	check(&scene, SPROF_INTERP_ONLY, "012");
}

/* Like _Py_InitCleanup: it has a frame, perhaps the one that C called. */
static void test_a_hidden_frame(void **state)
{
	for (size_t hidden = 0; hidden < 3; hidden++) {
		static const char *const expected[] = {"x12", "x02", "x01"};
		struct scene scene;

		set_up(&scene, (const uint64_t[]){ELSEWHERE, LOOP, CALL, STOP}, "ffe");
		scene.names[hidden].module = SPROF_INTERP_HIDDEN;
		check(&scene, SPROF_INTERP_CALLS, expected[hidden]);
	}
}

static void test_calls_between_loops(void **state)
{
	struct scene scene;

	set_up(&scene, (const uint64_t[]){LOOP, CALL, SORT, CALL, NAMELESS, LOOP, STOP}, "efe");
	check(&scene, SPROF_INTERP_CALLS, "0s12");
	set_up(&scene, (const uint64_t[]){NAMELESS, LOOP, LOOP, STOP}, "fsfs");
	check(&scene, SPROF_INTERP_CALLS, "n02");
}

static void test_a_loop_without_a_frame(void **state)
{
	struct scene scene;

	set_up(&scene, (const uint64_t[]){LOOP, SORT, LOOP, STOP}, "fe");
	check(&scene, SPROF_INTERP_CALLS, "s01");
	set_up(&scene, (const uint64_t[]){EDGE, LOOP, SORT, LOOP, STOP}, "fe");
	check(&scene, SPROF_INTERP_CALLS, "es01");
	/* That calls others in turn: memory is given back. */
	set_up(&scene, (const uint64_t[]){ELSEWHERE, SORT, EDGE, LOOP, SORT, LOOP, STOP}, "fe");
	check(&scene, SPROF_INTERP_CALLS, "xses01");
	set_up(&scene, (const uint64_t[]){EDGE, SORT, LOOP, SORT, LOOP, STOP}, "fe");
	check_unmerged(&scene, SPROF_MERGE_MISMATCH);
	/* It calls something else: a frame is missing, nobody knows which. */
	set_up(&scene, (const uint64_t[]){SORT, LOOP, SORT, LOOP, STOP}, "fe");
	check_unmerged(&scene, SPROF_MERGE_MISMATCH);
}

static void test_what_does_not_fit(void **state)
{
	struct scene scene;

	set_up(&scene, (const uint64_t[]){LOOP, STOP}, "ee");
	check_unmerged(&scene, SPROF_MERGE_MISMATCH);
	scene.stack.end = SPROF_END_NO_CFI;
	check_unmerged(&scene, SPROF_MERGE_NATIVE);
	set_up(&scene, (const uint64_t[]){LOOP, STOP}, "ef");
	check_unmerged(&scene, SPROF_MERGE_MISMATCH);
	set_up(&scene, (const uint64_t[]){LOOP, STOP}, "e");
	scene.copy.outcome = SPROF_INTERP_TORN;
	check_unmerged(&scene, SPROF_MERGE_TORN);
	scene.copy.outcome = SPROF_INTERP_NO_STATE;
	check_unmerged(&scene, SPROF_MERGE_NO_STATE);
	scene.copy.outcome = SPROF_INTERP_NOT_READ;
	check_unmerged(&scene, SPROF_MERGE_NOT_READ);
	scene.process.is_known = false;
	check_unmerged(&scene, SPROF_MERGE_VERSION);
}

/* A greenlet's stack begins where its function was called, whatever is below. */
static void test_greenlets(void **state)
{
	const uint64_t inner[] = {
		LOOP, SORT, LOOP, CALL, START, SWITCH, LOOP, SORT, START, LOOP, STOP};
	struct scene scene;

	set_up(&scene, inner, "efe");
	check(&scene, SPROF_INTERP_CALLS, "0s12g");
	assert_int_equal(scene.stack.end, SPROF_END_ROOT);
	/* The file's functions have no names. */
	set_up(&scene, inner, "efe");
	scene.process.greenlet_file = (struct sprof_greenlet_file){0};
	scene.stack.end = SPROF_END_BAD_MEMORY;
	check(&scene, SPROF_INTERP_CALLS, "0s12g");
	assert_int_equal(scene.stack.end, SPROF_END_ROOT);
	/* Not the loop below, because the innermost one calls nothing. */
	set_up(&scene, (const uint64_t[]){LOOP, START, LOOP, STOP}, "fe");
	check(&scene, SPROF_INTERP_CALLS, "01g");
	/* A loop that begins, called by greenlet: it is the function of a greenlet. */
	set_up(&scene, (const uint64_t[]){LOOP, START, LOOP, STOP}, "");
	check(&scene, SPROF_INTERP_CALLS, "g");
	/* Greenlet calls a function that is no greenlet's. */
	set_up(&scene, (const uint64_t[]){LOOP, START, LOOP, ELSEWHERE, STOP}, "ee");
	check(&scene, SPROF_INTERP_CALLS, "0g1x");
	set_up(&scene, inner, "eee");
	check(&scene, SPROF_INTERP_CALLS, "0s1gw2sg");
	set_up(&scene, inner, "eeeee");
	check_unmerged(&scene, SPROF_MERGE_MISMATCH);
}

static void test_a_greenlet_that_switches(void **state)
{
	const uint64_t before[] = {START, LOOP, START, LOOP, STOP};
	const uint64_t during[] = {ELSEWHERE, SWITCH, START, LOOP, START, LOOP, STOP};
	struct scene scene;

	set_up(&scene, before, "e");
	check(&scene, SPROF_INTERP_CALLS, "g0g");
	set_up(&scene, before, "e");
	scene.process.greenlet_file = (struct sprof_greenlet_file){0};
	check_unmerged(&scene, SPROF_MERGE_SWITCH);
	set_up(&scene, during, "e");
	check_unmerged(&scene, SPROF_MERGE_SWITCH);
	set_up(&scene, during, "e");
	scene.process.greenlet = SPROF_MAPPING_NO_MODULE;
	check_unmerged(&scene, SPROF_MERGE_MISMATCH);
}

static void test_threads_without_python(void **state)
{
	struct scene scene;

	set_up(&scene, (const uint64_t[]){ELSEWHERE, STOP}, "");
	check_unmerged(&scene, SPROF_MERGE_NONE);
	scene.copy.outcome = SPROF_INTERP_NO_STATE;
	check_unmerged(&scene, SPROF_MERGE_NONE);
}

TEST_MAIN("merge")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_loop),
		cmocka_unit_test(test_a_hidden_frame),
		cmocka_unit_test(test_calls_between_loops),
		cmocka_unit_test(test_a_loop_without_a_frame),
		cmocka_unit_test(test_what_does_not_fit),
		cmocka_unit_test(test_greenlets),
		cmocka_unit_test(test_a_greenlet_that_switches),
		cmocka_unit_test(test_threads_without_python),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
