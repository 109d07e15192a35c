/*
 * base/glob: against fnmatch(3) where both mean the same, and in time where it would take for ever.
 */
#include "base/glob.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

static void known_answers(void **state)
{
	assert_true(sprof_glob_matches("", ""));
	assert_true(sprof_glob_matches("*", ""));
	assert_true(sprof_glob_matches("**", "abc"));
	assert_false(sprof_glob_matches("", "a"));
	assert_false(sprof_glob_matches("?", ""));
	assert_true(sprof_glob_matches("work*", "worker/0"));
	assert_true(sprof_glob_matches("*/[0-9]", "worker/0"));
	assert_false(sprof_glob_matches("*/[!0-9]", "worker/0"));
	assert_false(sprof_glob_matches("*/[^0-9]", "worker/0"));
	assert_true(sprof_glob_matches("[]a]", "]"));
	assert_true(sprof_glob_matches("[a-]", "-"));
	assert_true(sprof_glob_matches("\\*\\[", "*["));
	assert_false(sprof_glob_matches("\\*", "a"));
	assert_true(sprof_glob_matches("a[b", "a[b"));
	assert_true(sprof_glob_matches("a\\", "a\\"));
	assert_true(sprof_glob_matches("*\xff", "a\xff"));
}

static void random_patterns_agree_with_fnmatch(void **state)
{
	static const char letters[] = "ab*?ab[!]-";
	char pattern[9], text[7];

	srand(1);
	for (int round = 0; round < 200000; round++) {
		size_t length = (size_t)rand() % sizeof(pattern),
		       text_length = (size_t)rand() % sizeof(text);

		for (size_t i = 0; i < length; i++)
			pattern[i] = letters[(size_t)rand() % strlen(letters)];
		for (size_t i = 0; i < text_length; i++)
			text[i] = "ab!-"[rand() % 4];
		pattern[length] = '\0';
		text[text_length] = '\0';
		if (sprof_glob_matches(pattern, text) != !fnmatch(pattern, text, 0))
			fail_msg("'%s' and '%s'", pattern, text);
	}
}

static void many_stars_take_no_time(void **state)
{
	char pattern[400], text[2001];

	for (size_t i = 0; i < 398; i += 2)
		memcpy(pattern + i, "*a", 2);
	memcpy(pattern + 398, "b", 2);
	memset(text, 'a', 2000);
	text[2000] = '\0';
	assert_false(sprof_glob_matches(pattern, text));
}

TEST_MAIN("glob")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_answers),
		cmocka_unit_test(random_patterns_agree_with_fnmatch),
		cmocka_unit_test(many_stars_take_no_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
