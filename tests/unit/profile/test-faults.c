/*
 * profile/faults: whose page faults most of them are, and how they stand beside other kinds of values.
 */
#include "profile/answer/faults.h"

#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

enum { PAGE = 4096 };

static struct sprof_profile *begin(void)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);

	assert_non_null(profile);
	profile->kinds.further[0] = (struct sprof_kind){"waits", "count", SPROF_FOLD_SUM};
	profile->kinds.further_count = 1;
	sprof_faults_begin_profile(profile);
	example_thread(profile, "main");
	return profile;
}

static void add(struct sprof_profile *profile, const char *folded, uint64_t all, uint64_t major)
{
	const uint64_t values[SPROF_FAULTS_KINDS] = {all, major, all * PAGE};
	const struct sprof_faults_place place = {
		.stack = example_stack(profile, folded),
	};

	assert_true(sprof_faults_add(profile, &place, values));
}

static void assert_function(
	const struct sprof_profile *profile, uint32_t function, const char *name)
{
	assert_int_not_equal(function, SPROF_PROFILE_NONE);
	assert_string_equal(profile->functions[function].name, name);
}

static void most_are_one_functions_from_its_callers(void **state)
{
	struct sprof_profile *profile = begin();
	struct sprof_faults faults;

	add(profile, "main;load;fill", 60, 0);
	add(profile, "main;load;fill;fill", 10, 0);
	add(profile, "main;clear;fill", 20, 3);
	add(profile, "main;other", 50, 0);
	add(profile, "main;load;fill", 5, 0);
	assert_true(sprof_faults_find(profile, &faults));
	assert_int_equal(faults.all, 145);
	assert_int_equal(faults.major, 3);
	assert_int_equal(faults.touched, 145 * PAGE);
	assert_int_equal(faults.unseen, 0);
	assert_function(profile, faults.function, "fill");
	assert_int_equal(faults.function_all, 95);
	assert_function(profile, faults.caller, "load");
	assert_int_equal(faults.caller_all, 75);
	sprof_profile_destroy(profile);
}

static void what_was_not_seen_is_no_function(void **state)
{
	static const uint64_t many[SPROF_FAULTS_KINDS] = {1000, 1, 1000 * PAGE};
	static const struct sprof_faults_place unseen = {.frame = SPROF_FAULTS_UNSEEN};
	struct sprof_profile *profile = begin();
	struct sprof_faults faults;

	add(profile, "main", 1, 0);
	assert_true(sprof_faults_add(profile, &unseen, many));
	assert_true(sprof_faults_find(profile, &faults));
	assert_int_equal(faults.all, 1001);
	assert_int_equal(faults.unseen, 1000);
	assert_function(profile, faults.function, "main");
	assert_int_equal(faults.caller, SPROF_PROFILE_NONE);
	sprof_profile_destroy(profile);
}

static void other_kinds_keep_their_values(void **state)
{
	struct sprof_profile *profile = begin();
	enum sprof_weight weight;

	add(profile, "main", 7, 0);
	assert_int_equal(profile->kinds.further_count, 1 + SPROF_FAULTS_KINDS);
	assert_true(sprof_profile_find_weight(profile, "faults", &weight));
	assert_int_equal(profile->kinds.shown, weight);
	assert_int_equal(sprof_profile_further(profile, 0, 0), 0);
	assert_int_equal(sprof_profile_further(profile, 0, 1), 7);
	assert_int_equal(profile->rows[0].metrics.further, 7);
	sprof_profile_destroy(profile);
}

static void a_profile_without_them_says_nothing(void **state)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_faults faults;

	assert_false(sprof_faults_find(profile, &faults));
	assert_true(sprof_faults_has_kind("touched"));
	assert_false(sprof_faults_has_kind("wall"));
	sprof_profile_destroy(profile);
}

TEST_MAIN("faults")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(most_are_one_functions_from_its_callers),
		cmocka_unit_test(what_was_not_seen_is_no_function),
		cmocka_unit_test(other_kinds_keep_their_values),
		cmocka_unit_test(a_profile_without_them_says_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
