/*
 * profile/neighbours: callers and callees of the reports' worked example; recursion, where the sums
 * must add up.
 */
#include "profile/views/neighbours.h"

#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static const struct sprof_view by_samples = {SPROF_WEIGHT_SAMPLES, SPROF_PROFILE_NONE};

static struct sprof_neighbours build(const struct sprof_profile *profile, const char *pattern)
{
	struct sprof_neighbours neighbours;
	struct sprof_error err;

	assert_true(sprof_neighbours_build(profile, &by_samples, pattern, &neighbours, &err));
	return neighbours;
}

static void assert_sums(const struct sprof_neighbours *neighbours)
{
	for (size_t i = 0; i < neighbours->count; i++) {
		const struct sprof_neighbourhood *function = &neighbours->functions[i];
		const struct sprof_neighbour *items = neighbours->items + function->first;
		uint64_t callers = function->root, callees = function->self;
		uint64_t self = function->root_self;

		for (size_t k = 0; k < function->callers; k++) {
			assert_false(items[k].is_callee);
			callers += items[k].value;
			self += items[k].self;
		}
		for (size_t k = 0; k < function->callees; k++) {
			assert_true(items[function->callers + k].is_callee);
			callees += items[function->callers + k].value;
		}
		assert_int_equal(callers, function->total);
		assert_int_equal(callees, function->total);
		assert_int_equal(self, function->self);
	}
}

static void assert_item(const struct sprof_profile *profile, const struct sprof_neighbour *item,
	const char *name, uint64_t self, uint64_t value)
{
	assert_string_equal(profile->functions[item->function].name, name);
	assert_int_equal(item->self, self);
	assert_int_equal(item->value, value);
}

static void the_worked_example(void **state)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_neighbours all = build(profile, NULL), c = build(profile, "^c$");

	assert_int_equal(all.count, 4);
	assert_int_equal(all.whole, 17);
	assert_string_equal(profile->functions[all.functions[0].function].name, "main");
	assert_int_equal(all.functions[0].root, 17);
	assert_int_equal(all.functions[0].root_self, 1);
	assert_sums(&all);
	assert_string_equal(profile->functions[all.functions[1].function].name, "a");
	assert_int_equal(all.functions[1].callers, 1);
	assert_int_equal(all.functions[1].callees, 2);
	assert_item(profile, &all.items[all.functions[1].first], "main", 2, 16);
	assert_item(profile, &all.items[all.functions[1].first + 1], "b", 4, 12);
	assert_item(profile, &all.items[all.functions[1].first + 2], "c", 2, 2);
	assert_int_equal(c.count, 1);
	assert_int_equal(c.functions[0].total, 10);
	assert_int_equal(c.functions[0].callees, 0);
	assert_item(profile, &c.items[0], "b", 8, 8);
	assert_item(profile, &c.items[1], "a", 2, 2);
	sprof_neighbours_finish(&all);
	sprof_neighbours_finish(&c);
	sprof_profile_destroy(profile);
}

static void recursion_adds_up(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "main");
	struct sprof_neighbours all, f;

	example_add(profile, thread, "main;f;f;f", &(struct sprof_metrics){.samples = 3});
	example_add(profile, thread, "main;f;g;f;g", &(struct sprof_metrics){.samples = 5});
	example_add(profile, thread, "f;g;f", &(struct sprof_metrics){.samples = 7});
	all = build(profile, NULL);
	f = build(profile, "f");
	assert_sums(&all);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.functions[0].depth, 3);
	assert_int_equal(f.functions[0].total, 15);
	assert_int_equal(f.functions[0].self, 10);
	assert_int_equal(f.functions[0].root, 7);
	assert_item(profile, &f.items[0], "main", 3, 8);
	assert_item(profile, &f.items[1], "g", 5, 5);
	sprof_neighbours_finish(&all);
	sprof_neighbours_finish(&f);
	sprof_profile_destroy(profile);
}

static void nothing_matches_and_bad_patterns(void **state)
{
	struct sprof_profile *profile = example_worked(), *empty = sprof_profile_create(NULL);
	struct sprof_neighbours none = build(profile, "nobody"), of_empty = build(empty, NULL);
	struct sprof_error err;

	assert_int_equal(none.count, 0);
	assert_int_equal(none.whole, 17);
	assert_int_equal(of_empty.count, 0);
	assert_false(sprof_neighbours_build(profile, &by_samples, "(", &none, &err));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	sprof_neighbours_finish(&none);
	sprof_neighbours_finish(&of_empty);
	sprof_profile_destroy(profile);
	sprof_profile_destroy(empty);
}

TEST_MAIN("neighbours")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worked_example),
		cmocka_unit_test(recursion_adds_up),
		cmocka_unit_test(nothing_matches_and_bad_patterns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
