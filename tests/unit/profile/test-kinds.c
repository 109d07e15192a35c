/*
 * profile/kinds: a profile that counts time and more: names, how values add up, what merging keeps.
 */
#include "profile/model/kinds.h"

#include "profile/edit/merge.h"
#include "profile/model/build.h"
#include "profile/model/profile.h"
#include "tests/unit/check.h"

enum { CALLS, HEAP, LONGEST, KINDS };

static struct sprof_profile *make(void)
{
	static const struct sprof_kind kinds[KINDS] = {
		[CALLS] = {"calls", "count", SPROF_FOLD_SUM},
		[HEAP] = {"heap", "bytes", SPROF_FOLD_LAST},
		[LONGEST] = {"longest", "nanoseconds", SPROF_FOLD_MAX},
	};
	struct sprof_profile *profile = sprof_build_create();

	assert_non_null(profile);
	for (size_t i = 0; i < KINDS; i++)
		profile->kinds.further[i] = kinds[i];
	profile->kinds.further_count = KINDS;
	profile->kinds.shown = (enum sprof_weight)(SPROF_WEIGHT_FURTHER + HEAP);
	return profile;
}

static void add(struct sprof_profile *profile, const char *function, const uint64_t values[KINDS])
{
	const struct sprof_build_thread thread = {.pid = 1, .tid = 1, .name = "main"};
	const struct sprof_profile_context context = {.state = SPROF_STATE_USER};
	struct sprof_profile_row row = {.metrics = {.samples = 1}};
	uint32_t location;

	assert_true(sprof_build_thread(profile, &thread, &row.thread));
	assert_true(sprof_build_context(profile, &context, &row.context));
	assert_true(sprof_profile_name_location(profile, function, &location));
	assert_true(sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, &row.stack));
	assert_true(sprof_build_row(profile, &row, values));
}

static void assert_row(
	const struct sprof_profile *profile, size_t row, const uint64_t values[KINDS])
{
	for (size_t i = 0; i < KINDS; i++)
		assert_int_equal(sprof_profile_further(profile, row, i), values[i]);
	assert_int_equal(profile->rows[row].metrics.further, values[HEAP]);
}

static void values_of_a_row_fold_as_their_kind_says(void **state)
{
	struct sprof_profile *profile = make();

	add(profile, "f", (uint64_t[]){3, 100, 7});
	add(profile, "f", (uint64_t[]){4, 50, 5});
	add(profile, "g", NULL);
	assert_row(profile, 0, (uint64_t[]){7, 50, 7});
	assert_row(profile, 1, (uint64_t[]){0, 0, 0});
	assert_int_equal(profile->rows[0].metrics.samples, 2);
	sprof_profile_destroy(profile);
}

static void further_kinds_are_weights_behind_those_of_time(void **state)
{
	struct sprof_profile *profile = make();
	struct sprof_weights weights = sprof_profile_weights(profile);
	enum sprof_weight found;

	assert_true(sprof_profile_counts_time(profile));
	assert_int_equal(weights.end - weights.first, SPROF_WEIGHT_COUNT + KINDS);
	assert_true(sprof_profile_find_weight(profile, "longest", &found));
	assert_int_equal(found, SPROF_WEIGHT_FURTHER + LONGEST);
	assert_string_equal(sprof_profile_weight_name(profile, found), "longest");
	assert_string_equal(sprof_profile_weight_unit(profile, found), "nanoseconds");
	assert_true(sprof_profile_find_weight(profile, "wall", &found));
	assert_int_equal(found, SPROF_WEIGHT_WALL);
	assert_false(sprof_profile_find_weight(profile, "alloc_space", &found));
	profile->kinds.has_times = false;
	assert_false(sprof_profile_find_weight(profile, "wall", &found));
	sprof_profile_destroy(profile);
}

static void merging_adds_up_by_kind(void **state)
{
	struct sprof_profile *sum = sprof_build_create(), *part = make();
	struct sprof_error err;

	add(part, "f", (uint64_t[]){3, 100, 7});
	add(part, "g", (uint64_t[]){1, 2, 3});
	assert_true(sprof_profile_merge(sum, part, &err));
	assert_true(sprof_profile_merge(sum, part, &err));
	assert_true(sprof_kinds_are_same(&sum->kinds, &part->kinds));
	assert_row(sum, 0, (uint64_t[]){6, 100, 7});
	assert_row(sum, 1, (uint64_t[]){2, 2, 3});
	sprof_profile_destroy(part);
	sprof_profile_destroy(sum);
}

TEST_MAIN("kinds")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_of_a_row_fold_as_their_kind_says),
		cmocka_unit_test(further_kinds_are_weights_behind_those_of_time),
		cmocka_unit_test(merging_adds_up_by_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
