/* The time of a function by line and place: which leaves and callers count, and for what. */
#include "profile/views/annotate.h"

#include "tests/unit/check.h"

enum { HOST, INLINED, CALL, FUNCTIONS };
enum { IN_HOST, IN_INLINED, SAME_LINE, IN_KERNEL, ELSEWHERE, CALLED, AGAIN, LOCATIONS };

/*
 * host() has inlined() in it; the kernel's end of a stack is behind host()'s system call. inlined()
 * calls call(), and that host() again.
 */
struct scene {
	struct sprof_profile_function functions[FUNCTIONS];
	struct sprof_profile_line lines[8];
	struct sprof_profile_location locations[LOCATIONS];
	struct sprof_profile_stack stacks[LOCATIONS + 1];
	struct sprof_profile_row rows[LOCATIONS];
	struct sprof_profile profile;
};

static void place(struct scene *scene, uint32_t id, size_t first, uint32_t count)
{
	scene->locations[id] =
		(struct sprof_profile_location){.first_line = first, .line_count = count};
	scene->stacks[id + 1] = (struct sprof_profile_stack){.location = id};
	scene->rows[id] = (struct sprof_profile_row){
		.stack = id + 1, .metrics.samples = 1 + id, .metrics.further = 1};
}

static void set_up(struct scene *scene)
{
	*scene = (struct scene){
		.lines = {{.function = HOST, .line = 10},
			{.function = INLINED, .line = 3, .mark = SPROF_MARK_INLINED},
			{.function = HOST, .line = 12}, {.function = HOST, .line = 10},
			{.function = CALL, .kernel = true}, {.function = CALL, .line = 7},
			{.function = CALL, .line = 8}, {.function = HOST, .line = 10}},
		.stacks[SPROF_PROFILE_ROOT].location = SPROF_PROFILE_NONE,
	};
	place(scene, IN_HOST, 0, 1);
	place(scene, IN_INLINED, 1, 2);
	place(scene, SAME_LINE, 3, 1);
	place(scene, IN_KERNEL, 4, 1);
	place(scene, ELSEWHERE, 5, 1);
	place(scene, CALLED, 6, 1);
	place(scene, AGAIN, 7, 1);
	scene->stacks[IN_KERNEL + 1].parent = IN_HOST + 1;
	scene->stacks[CALLED + 1].parent = IN_INLINED + 1;
	scene->stacks[AGAIN + 1].parent = CALLED + 1;
	scene->profile = (struct sprof_profile){
		.functions = scene->functions,
		.function_count = FUNCTIONS,
		.lines = scene->lines,
		.line_count = sizeof(scene->lines) / sizeof(scene->lines[0]),
		.locations = scene->locations,
		.location_count = LOCATIONS,
		.stacks = scene->stacks,
		.rows = scene->rows,
		.row_count = LOCATIONS,
	};
}

static void check_line(const struct sprof_annotated_line *line, uint32_t function, uint32_t number,
	uint64_t self, uint64_t total)
{
	assert_int_equal(line->function, function);
	assert_int_equal(line->line, number);
	assert_int_equal(line->self.samples, self);
	assert_int_equal(line->total.samples, total);
}

static void what_is_inlined_stands_under_its_own_lines(void **state)
{
	const bool chosen[FUNCTIONS] = {[HOST] = true};
	struct sprof_annotation annotation;
	struct sprof_error err;
	struct scene scene;

	set_up(&scene);
	assert_true(sprof_annotation_build(&scene.profile, chosen, &annotation, &err));
	assert_int_equal(annotation.line_count, 3);
	/* The kernel's four samples belong to the line that went there. */
	check_line(&annotation.lines[0], HOST, 10, 1 + 3 + 4 + 7, 1 + 3 + 4 + 7);
	/* inlined() is part of line 12, and leads to call() and to host() again. */
	check_line(&annotation.lines[1], HOST, 12, 0, 2 + 6 + 7);
	check_line(&annotation.lines[2], INLINED, 3, 2, 2 + 6 + 7);
	assert_int_equal(annotation.place_count, 4);
	assert_int_equal(annotation.self.samples, 1 + 2 + 3 + 4 + 7);
	assert_int_equal(annotation.total.samples, 1 + 2 + 3 + 4 + 6 + 7);
	assert_int_equal(annotation.whole.samples, 1 + 2 + 3 + 4 + 5 + 6 + 7);
	sprof_annotation_finish(&annotation);
}

static void an_inlined_function_has_its_copies_only(void **state)
{
	const bool chosen[FUNCTIONS] = {[INLINED] = true};
	struct sprof_annotation annotation;
	struct sprof_error err;
	struct scene scene;

	set_up(&scene);
	assert_true(sprof_annotation_build(&scene.profile, chosen, &annotation, &err));
	assert_int_equal(annotation.line_count, 1);
	check_line(&annotation.lines[0], INLINED, 3, 2, 2 + 6 + 7);
	assert_int_equal(annotation.places[0].location, IN_INLINED);
	sprof_annotation_finish(&annotation);
}

static void lines_say_what_they_call(void **state)
{
	const bool chosen[FUNCTIONS] = {[HOST] = true};
	struct sprof_annotation annotation;
	const struct sprof_annotated_call *calls;
	struct sprof_error err;
	struct scene scene;

	set_up(&scene);
	assert_true(sprof_annotation_build(&scene.profile, chosen, &annotation, &err));
	calls = annotation.calls;
	assert_int_equal(annotation.call_count, 2);
	/* Line 10 calls only the kernel, which is no callee. */
	assert_int_equal(annotation.lines[0].call_count, 0);
	assert_int_equal(annotation.lines[1].call_count, 1);
	assert_int_equal(calls[annotation.lines[1].first_call].function, INLINED);
	assert_int_equal(calls[annotation.lines[1].first_call].total.samples, 2 + 6 + 7);
	assert_int_equal(annotation.lines[2].call_count, 1);
	assert_int_equal(calls[annotation.lines[2].first_call].function, CALL);
	assert_int_equal(calls[annotation.lines[2].first_call].total.samples, 6 + 7);
	sprof_annotation_finish(&annotation);
}

static void a_line_counts_once_for_a_sample(void **state)
{
	const bool chosen[FUNCTIONS] = {[CALL] = true, [HOST] = true};
	struct sprof_annotation annotation;
	struct sprof_error err;
	struct scene scene;

	set_up(&scene);
	/* The last row is host() in call() in host(), all at line 10. */
	scene.lines[2].line = scene.lines[0].line;
	assert_true(sprof_annotation_build(&scene.profile, chosen, &annotation, &err));
	check_line(&annotation.lines[0], HOST, 10, 1 + 3 + 4 + 7, 1 + 2 + 3 + 4 + 6 + 7);
	sprof_annotation_finish(&annotation);
}

/* visit() calls walk(), which goes ten levels deep into visit(); the innermost one works. */
static void a_line_that_recurs_has_all_that_it_called(void **state)
{
	enum { VISIT, WALK, WORK, DEPTH = 10 };
	const struct sprof_profile_line lines[] = {{.function = VISIT, .line = 5},
		{.function = WALK, .line = 9}, {.function = WORK, .line = 2}};
	const struct sprof_profile_location locations[] = {{.line_count = 1},
		{.first_line = 1, .line_count = 1}, {.first_line = 2, .line_count = 1}};
	struct sprof_profile_function functions[3] = {{0}};
	struct sprof_profile_stack stacks[1 + 2 * DEPTH + 2];
	const struct sprof_profile_row rows[] = {{.stack = 2 * DEPTH + 2, .metrics.samples = 100},
		{.stack = 2 * DEPTH, .metrics.samples = 3}};
	const bool chosen[] = {[VISIT] = true, [WORK] = false};
	struct sprof_annotation annotation;
	struct sprof_error err;

	stacks[SPROF_PROFILE_ROOT].location = SPROF_PROFILE_NONE;
	for (uint32_t i = 1; i < 2 * DEPTH + 3; i++)
		stacks[i] = (struct sprof_profile_stack){
			.parent = i - 1, .location = i % 2 ? VISIT : WALK};
	stacks[2 * DEPTH + 2].location = WORK;
	assert_true(sprof_annotation_build(
		&(struct sprof_profile){.functions = functions,
			.function_count = 3,
			.lines = (struct sprof_profile_line *)lines,
			.line_count = 3,
			.locations = (struct sprof_profile_location *)locations,
			.location_count = 3,
			.stacks = stacks,
			.rows = (struct sprof_profile_row *)rows,
			.row_count = 2},
		chosen, &annotation, &err));
	check_line(&annotation.lines[0], VISIT, 5, 0, 100 + 3);
	assert_int_equal(annotation.lines[0].call_count, 2);
	assert_int_equal(annotation.calls[0].function, WALK);
	assert_int_equal(annotation.calls[0].total.samples, 100 + 3);
	assert_int_equal(annotation.calls[1].function, WORK);
	assert_int_equal(annotation.calls[1].total.samples, 100);
	sprof_annotation_finish(&annotation);
}

static void an_empty_profile_has_nothing(void **state)
{
	const struct sprof_profile profile = {0};
	const bool chosen[1] = {false};
	struct sprof_annotation annotation;
	struct sprof_error err;

	assert_true(sprof_annotation_build(&profile, chosen, &annotation, &err));
	assert_int_equal(annotation.line_count + annotation.place_count, 0);
	sprof_annotation_finish(&annotation);
}

TEST_MAIN("annotate")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_inlined_stands_under_its_own_lines),
		cmocka_unit_test(an_inlined_function_has_its_copies_only),
		cmocka_unit_test(lines_say_what_they_call),
		cmocka_unit_test(a_line_counts_once_for_a_sample),
		cmocka_unit_test(a_line_that_recurs_has_all_that_it_called),
		cmocka_unit_test(an_empty_profile_has_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
