/*
 * profile/gate: what of a run is compared, the three results, and what can't be compared or told.
 */
#include "profile/compare/gate.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

enum { RUNS = 5 };

/* What differs between runs. */
struct run {
	uint64_t parse_ms, print_ms;
	double rate_hz;
	enum sprof_mode mode;
	const char *command;
	uint64_t start;    /* 0: not known */
	const char *clone; /* of parse(), which runs in its place; NULL: none */
};

static const struct run usual = {100, 50, 99, SPROF_MODE_WALL, "/usr/bin/app -x", 0};

static void add_stack(struct sprof_profile *profile, const char *folded, uint64_t ms)
{
	struct sprof_metrics metrics = {.samples = ms};

	metrics.times.ns[SPROF_TIME_USER] = ms * SPROF_NS_PER_MS;
	if (ms)
		example_add(profile, 0, folded, &metrics);
}

/* parse() calls itself, and print(). */
static struct sprof_profile *profile_of(const struct run *run)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	char stack[64];

	assert_non_null(profile);
	example_thread(profile, "example");
	assert_true(sprof_profile_describe(profile, run->command, run->start));
	profile->quality.rate_hz = run->rate_hz;
	profile->quality.mode = run->mode;
	snprintf(stack, sizeof(stack), "main;parse;%s", run->clone ? run->clone : "parse");
	add_stack(profile, stack, run->parse_ms);
	add_stack(profile, "main;parse;print", run->print_ms);
	return profile;
}

static bool add(struct sprof_gate *gate, const struct run *run, struct sprof_error *err)
{
	struct sprof_profile *profile = profile_of(run);
	bool ok = sprof_gate_add(gate, profile, "a.pb.gz", err);

	sprof_profile_destroy(profile);
	return ok;
}

static void begin(
	struct sprof_gate *gate, const struct sprof_gate_condition *conditions, size_t count)
{
	static const size_t expected[SPROF_SIDES] = {RUNS, RUNS};
	struct sprof_error err;

	assert_true(sprof_gate_init(gate, conditions, count, expected, &err));
}

/* Runs before as usual, those after as given, each a ms longer than the one before. */
static void fill(struct sprof_gate *gate, const struct run *after)
{
	struct sprof_error err = {0};

	for (size_t i = 0; i < 2 * RUNS; i++) {
		struct run run = i < RUNS ? usual : *after;

		run.parse_ms += run.parse_ms ? i % RUNS : 0;
		if (!add(gate, &run, &err))
			fail_msg("%s", err.message);
	}
}

static const struct sprof_gate_condition parse_by_wall = {
	.function = "parse", .weight = SPROF_WEIGHT_WALL, .relative = true, .limit = 0.05};

static enum sprof_gate_result result_of(
	const struct sprof_gate_condition *condition, const struct run *after)
{
	enum sprof_gate_result result;
	struct sprof_gate gate;
	struct sprof_error err;

	begin(&gate, condition, 1);
	fill(&gate, after);
	assert_true(sprof_gate_judge(&gate, 0.05, &err));
	assert_int_equal(gate.row_count, 1);
	result = gate.rows[0].result;
	assert_int_equal(sprof_gate_count(&gate, result), 1);
	sprof_gate_finish(&gate);
	return result;
}

static void three_results(void **state)
{
	struct run after = usual;

	assert_int_equal(result_of(&parse_by_wall, &after), SPROF_GATE_WITHIN);
	after.parse_ms = 200;
	assert_int_equal(result_of(&parse_by_wall, &after), SPROF_GATE_BEYOND);
	after.parse_ms = 107;
	assert_int_equal(result_of(&parse_by_wall, &after), SPROF_GATE_UNCLEAR);
	after.parse_ms = 10;
	assert_int_equal(result_of(&parse_by_wall, &after), SPROF_GATE_WITHIN);
}

static void clones_are_their_function(void **state)
{
	static const char *const clones[] = {
		"parse.isra.0", "parse.llvm.17", "parse [clone .part.0]"};
	const struct sprof_gate_condition self = {.function = "p*se",
		.weight = SPROF_WEIGHT_WALL,
		.self = true,
		.relative = true,
		.limit = 0.05};
	struct run after = usual;

	for (size_t i = 0; i < sizeof(clones) / sizeof(clones[0]); i++) {
		after.clone = clones[i];
		assert_int_equal(result_of(&self, &after), SPROF_GATE_WITHIN);
	}
}

static void a_time_as_the_limit(void **state)
{
	struct sprof_gate_condition condition = parse_by_wall;
	struct run after = usual;

	after.parse_ms += 30;
	condition.relative = false;
	condition.limit = 10 * SPROF_NS_PER_MS;
	assert_int_equal(result_of(&condition, &after), SPROF_GATE_BEYOND);
	condition.limit = 50 * SPROF_NS_PER_MS;
	assert_int_equal(result_of(&condition, &after), SPROF_GATE_WITHIN);
	condition.weight = SPROF_WEIGHT_SYS;
	condition.limit = 0;
	assert_int_equal(result_of(&condition, &after), SPROF_GATE_WITHIN);
}

static void figures_of_a_run(void **state)
{
	static const struct sprof_gate_condition conditions[] = {
		{.function = "parse", .weight = SPROF_WEIGHT_WALL, .relative = true},
		{.function = "parse", .weight = SPROF_WEIGHT_WALL, .self = true, .relative = true},
		{.function = "", .weight = SPROF_WEIGHT_WALL, .relative = true},
		{.function = "p*", .weight = SPROF_WEIGHT_USER, .self = true, .relative = true},
		{.function = "main", .weight = SPROF_WEIGHT_WALL, .self = true, .relative = true},
	};
	static const struct {
		size_t condition;
		const char *function;
		double ms;
	} rows[] = {{0, "parse", 150}, {1, "parse", 100}, {2, NULL, 150}, {3, "parse", 100},
		{3, "print", 50}, {4, "main", 0}};
	struct sprof_gate gate;
	struct sprof_error err;

	begin(&gate, conditions, 5);
	fill(&gate, &usual);
	assert_true(sprof_gate_judge(&gate, 0.05, &err));
	assert_int_equal(gate.row_count, 6);
	for (size_t i = 0; i < 6; i++) {
		assert_int_equal(gate.rows[i].condition, rows[i].condition);
		assert_true(gate.rows[i].values[0] == rows[i].ms * SPROF_NS_PER_MS);
		if (rows[i].function)
			assert_string_equal(gate.rows[i].function, rows[i].function);
		else
			assert_null(gate.rows[i].function);
	}
	sprof_gate_finish(&gate);
}

static void assert_refused(const struct run *other, const char *why)
{
	struct sprof_error err = {0};
	struct sprof_gate gate;
	struct run first = usual;

	if (other->start)
		first = *other;
	begin(&gate, &parse_by_wall, 1);
	assert_true(add(&gate, &first, &err));
	assert_false(add(&gate, other, &err));
	assert_non_null(strstr(err.message, why));
	sprof_gate_finish(&gate);
}

static void what_differs_is_not_compared(void **state)
{
	struct run run = usual;

	run.rate_hz = 199;
	assert_refused(&run, "sampled at 99 Hz and 199 Hz");
	run = usual;
	run.mode = SPROF_MODE_CPU;
	assert_refused(&run, "modes are wall and cpu");
	run = usual;
	run.command = "/usr/bin/other -x";
	assert_refused(&run, "different programs, app and other");
	run = usual;
	run.start = 1000;
	assert_refused(&run, "are the same recording");
}

static void the_folder_of_a_program_may_differ(void **state)
{
	struct run run = usual;
	struct sprof_error err;
	struct sprof_gate gate;

	run.command = "new/app -x";
	begin(&gate, &parse_by_wall, 1);
	assert_true(add(&gate, &usual, &err) && add(&gate, &run, &err));
	assert_null(sprof_gate_other_command(&gate));
	run.command = "new/app-1.2 -x";
	assert_true(add(&gate, &run, &err));
	assert_null(sprof_gate_other_command(&gate));
	run.command = "new/app -y";
	assert_true(add(&gate, &run, &err));
	assert_ptr_equal(sprof_gate_other_command(&gate), &gate.runs[3]);
	sprof_gate_finish(&gate);
}

/* The side's programs are one, though that is worth a word. */
static void the_other_side_may_be_called_otherwise(void **state)
{
	struct sprof_error err;
	struct run run = usual;
	struct sprof_gate gate;
	size_t before;

	begin(&gate, &parse_by_wall, 1);
	before = gate.expected[SPROF_SIDE_BASE];
	for (size_t i = 0; i < before; i++)
		assert_true(add(&gate, &usual, &err));
	run.command = "renamed -x";
	assert_true(add(&gate, &run, &err));
	assert_ptr_equal(sprof_gate_other_command(&gate), &gate.runs[before]);
	assert_false(add(&gate, &usual, &err));
	sprof_gate_finish(&gate);
}

static void assert_not_told(const struct sprof_gate_condition *conditions, size_t count,
	const struct run *after, const char *why)
{
	struct sprof_gate gate;
	struct sprof_error err = {0};

	begin(&gate, conditions, count);
	fill(&gate, after);
	assert_false(sprof_gate_judge(&gate, 0.05, &err));
	if (!strstr(err.message, why))
		fail_msg("%s", err.message);
	sprof_gate_finish(&gate);
}

static void no_function_is_no_pass(void **state)
{
	static const struct sprof_gate_condition print = {
		.text = "wall(print)", .function = "print", .relative = true};
	static const struct sprof_gate_condition other = {
		.text = "wall(other)", .function = "oth*", .relative = true};
	struct run renamed = usual;

	renamed.print_ms = 0;
	assert_not_told(&other, 1, &usual, "wall(other): no run has such a function");
	assert_not_told(&print, 1, &renamed, "wall(print): no run after has such a function");
}

static void too_many_comparisons_for_the_runs(void **state)
{
	struct sprof_gate_condition conditions[13];

	for (int i = 0; i < 13; i++)
		conditions[i] = parse_by_wall;
	assert_not_told(conditions, 13, &usual,
		"5 runs before and 5 after are too few for 13 comparisons at a level of 5%");
}

static void too_few_runs(void **state)
{
	static const size_t expected[SPROF_SIDES] = {1, 4};
	struct sprof_gate gate;
	struct sprof_error err = {0};

	assert_true(sprof_gate_init(&gate, &parse_by_wall, 1, expected, &err));
	for (int i = 0; i < 5; i++)
		assert_true(add(&gate, &usual, &err));
	assert_false(sprof_gate_judge(&gate, 0.05, &err));
	assert_non_null(strstr(err.message, "1 run before and 4 after"));
	sprof_gate_finish(&gate);
}

static bool in_turns(const uint64_t starts[2 * RUNS])
{
	struct sprof_gate gate;
	struct sprof_error err;
	bool result;

	begin(&gate, &parse_by_wall, 1);
	for (int i = 0; i < 2 * RUNS; i++) {
		struct run run = usual;

		run.start = starts[i];
		assert_true(add(&gate, &run, &err));
	}
	result = sprof_gate_is_in_turns(&gate);
	sprof_gate_finish(&gate);
	return result;
}

static void turns(void **state)
{
	assert_true(in_turns((const uint64_t[]){1, 3, 5, 7, 9, 2, 4, 6, 8, 10}));
	assert_false(in_turns((const uint64_t[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
	assert_false(in_turns((const uint64_t[]){6, 7, 8, 9, 10, 1, 2, 3, 4, 5}));
	assert_true(in_turns((const uint64_t[]){1, 2, 3, 4, 5, 6, 7, 0, 9, 10}));
}

TEST_MAIN("gate")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(three_results),
		cmocka_unit_test(clones_are_their_function),
		cmocka_unit_test(a_time_as_the_limit),
		cmocka_unit_test(figures_of_a_run),
		cmocka_unit_test(what_differs_is_not_compared),
		cmocka_unit_test(the_folder_of_a_program_may_differ),
		cmocka_unit_test(the_other_side_may_be_called_otherwise),
		cmocka_unit_test(no_function_is_no_pass),
		cmocka_unit_test(too_many_comparisons_for_the_runs),
		cmocka_unit_test(too_few_runs),
		cmocka_unit_test(turns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
