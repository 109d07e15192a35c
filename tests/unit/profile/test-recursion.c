/*
 * profile/recursion: known paths; random ones against what folding promises.
 */
#include "profile/model/recursion.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

enum { LONGEST = 200 };

static size_t make(const char *functions, struct sprof_step *steps)
{
	size_t count = strlen(functions);

	for (size_t i = 0; i < count; i++)
		steps[i] = (struct sprof_step){.function = (uint32_t)functions[i], .calls = 1};
	return count;
}

/* "f" is one function; the result "f3" has three calls of it. */
static void check(const char *functions, const char *expected)
{
	struct sprof_step steps[LONGEST];
	size_t count = sprof_recursion_fold(steps, make(functions, steps));
	char text[4 * LONGEST] = "";

	for (size_t i = 0; i < count; i++) {
		char *end = text + strlen(text);

		if (steps[i].calls == 1)
			sprintf(end, "%c", (char)steps[i].function);
		else
			sprintf(end, "%c%u", (char)steps[i].function, steps[i].calls);
	}
	assert_string_equal(text, expected);
}

static void known_paths(void **state)
{
	check("", "");
	check("m", "m");
	check("mab", "mab");
	check("mfff", "mf3");
	check("mffgf", "mf2gf");
	check("meoeoe", "me2o2e");
	check("meoeoeo", "me3o3");
	check("mabcabcabcx", "ma3b3c3x");
	/* A series within a series. */
	check("maabaab", "ma4b2");
	check("fabfcdf", "fabfcdf");
}

/* The longest series that is known, and one more. */
static void series_have_a_limit(void **state)
{
	char text[LONGEST] = "";
	struct sprof_step steps[LONGEST];

	for (int length = SPROF_RECURSION_LONGEST; length <= SPROF_RECURSION_LONGEST + 1;
		length++) {
		size_t count;

		for (int i = 0; i < 3 * length; i++)
			text[i] = (char)('A' + i % length);
		text[3 * length] = '\0';
		count = sprof_recursion_fold(steps, make(text, steps));
		assert_int_equal(count, length > SPROF_RECURSION_LONGEST ? 3 * length : length);
	}
}

static bool has_repetition(const struct sprof_step *steps, size_t count)
{
	for (size_t length = 1; length <= SPROF_RECURSION_LONGEST; length++) {
		for (size_t at = 0; at + 2 * length <= count; at++) {
			size_t same = 0;

			while (same < length &&
				steps[at + same].function == steps[at + length + same].function)
				same++;
			if (same == length)
				return true;
		}
	}
	return false;
}

/* No function gets lost, the calls add up for each, the last step stays, and nothing is left to
 * fold. */
static void check_promises(const char *functions)
{
	struct sprof_step steps[LONGEST];
	const size_t before = make(functions, steps);
	const size_t count = sprof_recursion_fold(steps, before);
	uint32_t calls[128] = {0};

	for (size_t i = 0; i < count; i++)
		calls[steps[i].function] += steps[i].calls;
	for (size_t i = 0; i < before; i++)
		calls[(unsigned char)functions[i]]--;
	for (size_t i = 0; i < 128; i++)
		assert_int_equal(calls[i], 0);
	assert_int_equal(steps[count - 1].function, functions[before - 1]);
	assert_int_equal(steps[0].function, functions[0]);
	assert_false(has_repetition(steps, count));
}

static void random_paths(void **state)
{
	char text[LONGEST];

	srandom(4711);
	for (int round = 0; round < 20000; round++) {
		const int length = 1 + (int)(random() % (LONGEST - 2));
		const int names = 1 + (int)(random() % 4);

		for (int i = 0; i < length; i++)
			text[i] = (char)('a' + random() % names);
		text[length] = '\0';
		check_promises(text);
	}
}

TEST_MAIN("recursion")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_paths),
		cmocka_unit_test(series_have_a_limit),
		cmocka_unit_test(random_paths),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
