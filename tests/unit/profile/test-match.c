/*
 * profile/match: patterns match anywhere in a text, and a wrong one is the user's error.
 */
#include "profile/model/match.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static const char *const texts[] = {"parse", "do_parse_line", "", NULL, "PARSE"};

enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };

static void check(const char *pattern, const bool want[TEXTS])
{
	struct sprof_error err;
	bool *matches;

	assert_true(sprof_match_texts(pattern, texts, TEXTS, &matches, &err));
	for (size_t i = 0; i < TEXTS; i++)
		assert_int_equal(matches[i], want[i]);
	free(matches);
}

static void patterns_match_anywhere(void **state)
{
	check("parse", (const bool[TEXTS]){true, true});
	check("^parse$", (const bool[TEXTS]){true});
	check("^$|_line", (const bool[TEXTS]){false, true, true});
	check("(P|p)A?", (const bool[TEXTS]){true, true, false, false, true});
	check("nothing", (const bool[TEXTS]){false});
}

/* A text that is not there is none, even for what matches every text. */
static void no_text_never_matches(void **state)
{
	check("", (const bool[TEXTS]){true, true, true, false, true});
	check(".*", (const bool[TEXTS]){true, true, true, false, true});
}

static void no_texts_are_no_matches(void **state)
{
	struct sprof_error err;
	bool *matches;

	assert_true(sprof_match_texts("x", NULL, 0, &matches, &err));
	assert_non_null(matches);
	free(matches);
}

static void a_wrong_pattern_is_told(void **state)
{
	static const char *const wrong[] = {"(", "[a", "a{2,1}", "*("};
	struct sprof_profile *profile = example_worked();
	struct sprof_error err;
	bool *matches;
	regex_t regex;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_false(sprof_match_compile(wrong[i], &regex, &err));
		assert_int_equal(err.kind, SPROF_ERROR_USAGE);
		assert_non_null(strstr(err.message, wrong[i]));
		assert_false(sprof_match_texts(wrong[i], texts, TEXTS, &matches, &err));
		assert_int_equal(err.kind, SPROF_ERROR_USAGE);
		assert_false(sprof_match_functions(profile, wrong[i], &matches, &err));
		assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	}
	sprof_profile_destroy(profile);
}

static void functions_match_by_their_names(void **state)
{
	struct sprof_profile *profile = example_worked();
	struct sprof_error err;
	bool *matches;

	assert_true(sprof_match_functions(profile, "^[ac]$", &matches, &err));
	for (size_t i = 0; i < profile->function_count; i++)
		assert_int_equal(matches[i],
			strcmp(profile->functions[i].name, "a") == 0 ||
				strcmp(profile->functions[i].name, "c") == 0);
	free(matches);
	sprof_profile_destroy(profile);
}

TEST_MAIN("match")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_match_anywhere),
		cmocka_unit_test(no_text_never_matches),
		cmocka_unit_test(no_texts_are_no_matches),
		cmocka_unit_test(a_wrong_pattern_is_told),
		cmocka_unit_test(functions_match_by_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
