/*
 * cmd/nearest: slips of the finger, and words that are others.
 */
#include "base/nearest.h"

#include "tests/unit/check.h"

static void slips_are_found(void **state)
{
	static const char *const words[] = {
		"run", "attach", "report", "diff", "merge", "dump", "symbols"};
	static const struct {
		const char *word, *found;
	} cases[] = {
		{"attatch", "attach"},
		{"atach", "attach"},
		{"rnu", "run"},
		{"reprot", "report"},
		{"symbol", "symbols"},
		{"mrege", "merge"},
		{"make", NULL},
		{"ls", NULL},
		{"", NULL},
		{"a-word-that-is-much-too-long-to-be-a-slip", NULL},
	};
	struct sprof_nearest first = {.word = "stat"};

	sprof_nearest_try(&first, "stats");
	sprof_nearest_try(&first, "start");
	assert_string_equal(first.found, "stats");

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_nearest nearest = {.word = cases[i].word};

		for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++)
			sprof_nearest_try(&nearest, words[k]);
		if (cases[i].found)
			assert_string_equal(nearest.found, cases[i].found);
		else
			assert_null(nearest.found);
	}
}

TEST_MAIN("nearest")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slips_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
