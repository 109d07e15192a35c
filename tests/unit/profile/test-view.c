/*
 * profile/view: the figures of the reports' worked example, from the model; recursion, threads,
 * inlines, verdicts.
 */
#include "profile/views/view.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static const struct sprof_view by_samples = {SPROF_WEIGHT_SAMPLES, SPROF_PROFILE_NONE};
static const struct sprof_view by_wall = {SPROF_WEIGHT_WALL, SPROF_PROFILE_NONE};

static const char *function_of(
	const struct sprof_profile *profile, const struct sprof_graph_node *node)
{
	return profile->functions[node->function].name;
}

static void assert_percent(double value, const char *expected)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f", value);
	assert_string_equal(text, expected);
}

static void the_caller_graph_of_the_example(void **state)
{
	static const struct {
		const char *function;
		uint32_t depth;
		uint64_t self, total;
		const char *self_percent, *total_percent;
	} lines[] = {
		{"main", 1, 1, 17, "5.9", "100.0"},
		{"a", 2, 2, 16, "11.8", "94.1"},
		{"b", 3, 4, 12, "23.5", "70.6"},
		{"c", 4, 8, 8, "47.1", "47.1"},
		{"c", 3, 2, 2, "11.8", "11.8"},
	};
	struct sprof_profile *profile = example_worked();

	for (uint64_t unit = 1; unit <= SPROF_NS_PER_MS; unit *= SPROF_NS_PER_MS) {
		struct sprof_graph graph;
		struct sprof_error err;

		assert_true(sprof_graph_build(profile, unit == 1 ? &by_samples : &by_wall,
			SPROF_GRAPH_CALLER, &graph, &err));
		assert_int_equal(graph.count, 1 + 5);
		assert_int_equal(graph.nodes[0].end, graph.count);
		for (size_t i = 0; i < 5; i++) {
			const struct sprof_graph_node *node = &graph.nodes[i + 1];
			uint64_t whole = graph.nodes[0].total;

			assert_string_equal(function_of(profile, node), lines[i].function);
			assert_int_equal(node->depth, lines[i].depth);
			assert_int_equal(node->self, lines[i].self * unit);
			assert_int_equal(node->total, lines[i].total * unit);
			assert_percent(sprof_percent(node->self, whole), lines[i].self_percent);
			assert_percent(sprof_percent(node->total, whole), lines[i].total_percent);
		}
		assert_int_equal(graph.nodes[3].end, 5);
		sprof_graph_finish(&graph);
	}
	sprof_profile_destroy(profile);
}

static void the_callee_graph_of_the_example(void **state)
{
	static const struct {
		const char *function;
		uint32_t depth;
		const char *total, *self, *parent, *fractal;
	} lines[] = {
		{"c", 1, "58.8", "58.8", "100.0", "58.8"},
		{"b", 2, "47.1", "47.1", "58.8", "80.0"},
		{"a", 3, "47.1", "47.1", "47.1", "100.0"},
		{"main", 4, "47.1", "47.1", "47.1", "100.0"},
		{"a", 2, "11.8", "11.8", "58.8", "20.0"},
		{"main", 3, "11.8", "11.8", "11.8", "100.0"},
		{"b", 1, "23.5", "23.5", "100.0", "23.5"},
		{"a", 2, "23.5", "23.5", "23.5", "100.0"},
		{"main", 3, "23.5", "23.5", "23.5", "100.0"},
		{"a", 1, "11.8", "11.8", "100.0", "11.8"},
		{"main", 2, "11.8", "11.8", "11.8", "100.0"},
		{"main", 1, "5.9", "5.9", "100.0", "5.9"},
	};
	const size_t count = sizeof(lines) / sizeof(lines[0]);
	const struct sprof_view *const views[] = {&by_samples, &by_wall};
	struct sprof_profile *profile = example_worked();

	for (size_t k = 0; k < 2; k++) {
		struct sprof_graph graph;
		struct sprof_error err;

		assert_true(sprof_graph_build(profile, views[k], SPROF_GRAPH_CALLEE, &graph, &err));
		assert_int_equal(graph.count, 1 + count);
		for (size_t i = 0; i < count; i++) {
			struct sprof_callee_shares shares = sprof_callee_shares(&graph, i + 1);

			assert_string_equal(
				function_of(profile, &graph.nodes[i + 1]), lines[i].function);
			assert_int_equal(graph.nodes[i + 1].depth, lines[i].depth);
			assert_percent(shares.total, lines[i].total);
			assert_percent(shares.self, lines[i].self);
			assert_percent(shares.parent, lines[i].parent);
			assert_percent(shares.fractal, lines[i].fractal);
		}
		sprof_graph_finish(&graph);
	}
	sprof_profile_destroy(profile);
}

static const struct sprof_flat_row *row_of(
	const struct sprof_profile *profile, const struct sprof_flat *flat, const char *name)
{
	for (size_t i = 0; i < flat->count; i++) {
		if (strcmp(profile->functions[flat->rows[i].function].name, name) == 0)
			return &flat->rows[i];
	}
	return NULL;
}

static void the_flat_table_of_the_example(void **state)
{
	static const struct {
		const char *function;
		uint64_t self, total;
	} lines[] = {{"c", 10, 10}, {"b", 4, 12}, {"a", 2, 16}, {"main", 1, 17}};
	struct sprof_profile *profile = example_worked();
	struct sprof_flat flat;
	struct sprof_error err;

	assert_true(sprof_flat_build(profile, &by_wall, &flat, &err));
	assert_int_equal(flat.count, 4);
	assert_int_equal(flat.sum.samples, 17);
	for (size_t i = 0; i < 4; i++) {
		const struct sprof_flat_row *row = &flat.rows[i];
		const uint64_t user = row->total.times.ns[SPROF_TIME_USER];

		assert_string_equal(profile->functions[row->function].name, lines[i].function);
		assert_int_equal(row->self.samples, lines[i].self);
		assert_int_equal(row->total.samples, lines[i].total);
		assert_int_equal(user, lines[i].total * SPROF_NS_PER_MS);
		assert_int_equal(sprof_metrics_get(&row->total, SPROF_WEIGHT_WALL), user);
		assert_int_equal(row->threads, 1);
	}
	sprof_flat_finish(&flat);
	sprof_profile_destroy(profile);
}

static void recursion_counts_a_function_once(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	struct sprof_flat flat;
	struct sprof_error err;

	example_add(profile, thread, "main;even;odd;even;odd;even",
		&(struct sprof_metrics){.samples = 3});
	example_add(profile, thread, "main;even;odd", &(struct sprof_metrics){.samples = 4});
	assert_true(sprof_flat_build(profile, &by_samples, &flat, &err));
	assert_int_equal(row_of(profile, &flat, "even")->total.samples, 7);
	assert_int_equal(row_of(profile, &flat, "even")->self.samples, 3);
	assert_int_equal(row_of(profile, &flat, "odd")->total.samples, 7);
	assert_int_equal(row_of(profile, &flat, "odd")->self.samples, 4);
	sprof_flat_finish(&flat);
	sprof_profile_destroy(profile);
}

static void threads_are_told_apart_and_merged(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t one = example_thread(profile, "one"), two = example_thread(profile, "two");
	struct sprof_view only_two = {SPROF_WEIGHT_SAMPLES, two};
	struct sprof_flat flat;
	struct sprof_graph graph;
	struct sprof_error err;

	example_add(profile, one, "start;f", &(struct sprof_metrics){.samples = 1});
	example_add(profile, two, "start;f", &(struct sprof_metrics){.samples = 2});
	example_add(profile, one, "start;g", &(struct sprof_metrics){.samples = 5});
	example_add(profile, one, "start;g;f", &(struct sprof_metrics){.samples = 7});
	assert_true(sprof_flat_build(profile, &by_samples, &flat, &err));
	assert_int_equal(row_of(profile, &flat, "f")->threads, 2);
	assert_int_equal(row_of(profile, &flat, "g")->threads, 1);
	assert_int_equal(row_of(profile, &flat, "start")->total.samples, 15);
	sprof_flat_finish(&flat);

	assert_true(sprof_flat_build(profile, &only_two, &flat, &err));
	assert_int_equal(flat.count, 2);
	assert_int_equal(flat.sum.samples, 2);
	sprof_flat_finish(&flat);
	assert_true(sprof_graph_build(profile, &only_two, SPROF_GRAPH_CALLER, &graph, &err));
	assert_int_equal(graph.count, 1 + 2);
	assert_int_equal(graph.nodes[0].total, 2);
	sprof_graph_finish(&graph);
	sprof_profile_destroy(profile);
}

static void small_paths_are_kept_but_not_followed(void **state)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_view limited = {
		.weight = SPROF_WEIGHT_SAMPLES, .thread = SPROF_PROFILE_NONE, .min_percent = 24};
	struct sprof_graph graph;
	struct sprof_error err;

	assert_true(sprof_graph_build(profile, &limited, SPROF_GRAPH_CALLEE, &graph, &err));
	/* c, b, a, main; c, a; then b, a and main, all under 24 %, without their callers. */
	assert_int_equal(graph.count, 1 + 8);
	assert_string_equal(function_of(profile, &graph.nodes[5]), "a");
	assert_int_equal(graph.nodes[5].depth, 2);
	assert_int_equal(graph.nodes[5].total, 2);
	assert_int_equal(graph.nodes[6].total, 4);
	assert_int_equal(graph.nodes[6].end, 7);
	sprof_graph_finish(&graph);
	sprof_profile_destroy(profile);
}

static void recursion_stays_a_path_in_the_graphs(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	struct sprof_graph graph;
	struct sprof_error err;

	example_add(profile, thread, "main;rec;rec;rec", &(struct sprof_metrics){.samples = 4});
	example_add(profile, thread, "main;rec", &(struct sprof_metrics){.samples = 1});
	assert_true(sprof_graph_build(profile, &by_samples, SPROF_GRAPH_CALLER, &graph, &err));
	assert_int_equal(graph.count, 1 + 4);
	assert_int_equal(graph.nodes[2].total, 5);
	assert_int_equal(graph.nodes[2].self, 1);
	assert_int_equal(graph.nodes[4].self, 4);
	assert_int_equal(graph.nodes[4].depth, 4);
	sprof_graph_finish(&graph);
	sprof_profile_destroy(profile);
}

static void recursion_is_one_node_where_it_is_folded(void **state)
{
	const struct sprof_view view = {.weight = SPROF_WEIGHT_SAMPLES,
		.thread = SPROF_PROFILE_NONE,
		.folds_recursion = true};
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "main");
	struct sprof_graph graph;
	struct sprof_error err;

	example_add(profile, thread, "main;f;f;f", &(struct sprof_metrics){.samples = 3});
	example_add(profile, thread, "main;f;f;g;f", &(struct sprof_metrics){.samples = 2});
	assert_true(sprof_graph_build(profile, &view, SPROF_GRAPH_CALLER, &graph, &err));
	/* The root, main, f, g, f. */
	assert_int_equal(graph.count, 5);
	assert_int_equal(graph.nodes[2].total, 5);
	assert_int_equal(graph.nodes[2].self, 3);
	assert_int_equal(graph.nodes[4].self, 2);
	sprof_graph_finish(&graph);
	sprof_profile_destroy(profile);
}

/* What is beyond one function: from its outermost call upwards, from its innermost downwards. */
static void a_graph_may_begin_at_a_function(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "main"), function = 0;
	struct sprof_view view = {
		.weight = SPROF_WEIGHT_SAMPLES, .thread = SPROF_PROFILE_NONE, .origin = &function};
	struct sprof_graph graph;
	struct sprof_error err;

	example_add(profile, thread, "main;a;f;b;f;c", &(struct sprof_metrics){.samples = 3});
	example_add(profile, thread, "main;d;f", &(struct sprof_metrics){.samples = 2});
	example_add(profile, thread, "main;elsewhere", &(struct sprof_metrics){.samples = 7});
	while (strcmp(profile->functions[function].name, "f") != 0)
		function++;
	assert_true(sprof_graph_build(profile, &view, SPROF_GRAPH_CALLER, &graph, &err));
	/* The function, c. */
	assert_int_equal(graph.count, 2);
	assert_int_equal(graph.nodes[0].total, 5);
	assert_int_equal(graph.nodes[0].self, 2);
	assert_int_equal(graph.nodes[1].total, 3);
	sprof_graph_finish(&graph);
	assert_true(sprof_graph_build(profile, &view, SPROF_GRAPH_CALLEE, &graph, &err));
	/* The function, a, main, d, main. */
	assert_int_equal(graph.count, 5);
	assert_int_equal(graph.nodes[0].total, 5);
	assert_int_equal(graph.nodes[1].total, 3);
	assert_int_equal(graph.nodes[1].own, 0);
	assert_int_equal(graph.nodes[3].total, 2);
	assert_int_equal(graph.nodes[3].own, 2);
	sprof_graph_finish(&graph);
	sprof_profile_destroy(profile);
}

static void what_is_left_out_is_in_no_view(void **state)
{
	const bool left_out[] = {true, false};
	const struct sprof_view view = {
		.weight = SPROF_WEIGHT_SAMPLES, .thread = SPROF_PROFILE_NONE, .left_out = left_out};
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "main");
	struct sprof_graph graph;
	struct sprof_flat flat;
	struct sprof_error err;

	example_add(profile, thread, "main;idle", &(struct sprof_metrics){.samples = 3});
	example_add(profile, thread, "main;work", &(struct sprof_metrics){.samples = 2});
	assert_true(sprof_graph_build(profile, &view, SPROF_GRAPH_CALLER, &graph, &err));
	assert_true(sprof_flat_build(profile, &view, &flat, &err));
	assert_int_equal(graph.nodes[0].total, 2);
	assert_int_equal(graph.count, 3);
	assert_int_equal(flat.sum.samples, 2);
	assert_int_equal(flat.count, 2);
	sprof_flat_finish(&flat);
	sprof_graph_finish(&graph);
	sprof_profile_destroy(profile);
}

static void equal_children_are_sorted_by_name(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "t");
	const char *const names[] = {"m;z", "m;b", "m;y", "m;a", "m;c"};
	struct sprof_graph graph;
	struct sprof_error err;

	for (size_t i = 0; i < 5; i++)
		example_add(profile, thread, names[i], &(struct sprof_metrics){.samples = 1});
	assert_true(sprof_graph_build(profile, &by_samples, SPROF_GRAPH_CALLER, &graph, &err));
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(function_of(profile, &graph.nodes[2 + i])[0], "abcyz"[i]);
	sprof_graph_finish(&graph);
	sprof_profile_destroy(profile);
}

static void an_empty_profile_has_empty_views(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_flat flat;
	struct sprof_graph graph;
	struct sprof_error err;

	assert_true(sprof_flat_build(profile, &by_wall, &flat, &err));
	assert_int_equal(flat.count, 0);
	sprof_flat_finish(&flat);
	assert_true(sprof_graph_build(profile, &by_wall, SPROF_GRAPH_CALLEE, &graph, &err));
	assert_int_equal(graph.count, 1);
	assert_percent(sprof_percent(graph.nodes[0].total, graph.nodes[0].total), "0.0");
	sprof_graph_finish(&graph);
	sprof_profile_destroy(profile);
}

static void verdicts_follow_the_table(void **state)
{
	static const struct {
		struct sprof_times times;
		const char *verdict;
	} cases[] = {
		{{{81, 19, 0, 0}}, "cpu"},
		{{{80, 20, 0, 0}}, "-"},
		{{{69, 31, 0, 0}}, "syscall"},
		{{{70, 30, 0, 0}}, "-"},
		{{{20, 20, 9, 51}}, "wait"},
		{{{25, 25, 0, 50}}, "-"},
		/* A busy machine doesn't change what a function does. */
		{{{9, 1, 90, 0}}, "cpu"},
		{{{1, 1, 90, 3}}, "wait"},
		{{{0, 0, 90, 0}}, "starved"},
		{{{0, 0, 0, 0}}, "-"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(sprof_verdict_name(sprof_verdict_of(&cases[i].times, NULL)),
			cases[i].verdict);
	assert_string_equal(
		sprof_verdict_name(sprof_verdict_of(&(struct sprof_times){{20, 20, 9, 51}},
			&(struct sprof_waiting){.io_ns = 10, .lock_ns = 40})),
		"lock");
}

static void weights_have_names(void **state)
{
	enum sprof_weight found;

	for (int i = 0; i < SPROF_WEIGHT_COUNT; i++) {
		assert_true(sprof_weight_find(sprof_weight_name((enum sprof_weight)i), &found));
		assert_int_equal(found, i);
	}
	assert_false(sprof_weight_find("cpu time", &found));
	assert_false(sprof_weight_is_time(SPROF_WEIGHT_SAMPLES));
}

TEST_MAIN("view")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_caller_graph_of_the_example),
		cmocka_unit_test(the_callee_graph_of_the_example),
		cmocka_unit_test(the_flat_table_of_the_example),
		cmocka_unit_test(recursion_counts_a_function_once),
		cmocka_unit_test(threads_are_told_apart_and_merged),
		cmocka_unit_test(small_paths_are_kept_but_not_followed),
		cmocka_unit_test(recursion_stays_a_path_in_the_graphs),
		cmocka_unit_test(recursion_is_one_node_where_it_is_folded),
		cmocka_unit_test(a_graph_may_begin_at_a_function),
		cmocka_unit_test(what_is_left_out_is_in_no_view),
		cmocka_unit_test(equal_children_are_sorted_by_name),
		cmocka_unit_test(an_empty_profile_has_empty_views),
		cmocka_unit_test(verdicts_follow_the_table),
		cmocka_unit_test(weights_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
