/* output/wait-words: names of objects in the table of waits and in the verdict. */
#include "output/wait-words.h"

#include "base/cleanup.h"
#include "tests/unit/check.h"

static void the_object_says_how_many_and_whose(void **state)
{
	static struct sprof_profile_process processes[] = {{.pid = 11}, {.pid = 12}};
	struct sprof_profile profile = {.processes = processes, .process_count = 2};
	struct sprof_waits_row row = {.object = "mutex m+0", .process = 1};
	SPROF_AUTO_FREE char *one = sprof_wait_words_object(&profile, &row);
	SPROF_AUTO_FREE char *four = NULL, *alone = NULL;

	assert_string_equal(one, "mutex m+0 of process 12");
	row.alike = 4;
	four = sprof_wait_words_object(&profile, &row);
	assert_string_equal(four, "mutex m+0 and 3 more like it of process 12");
	profile.process_count = 1;
	alone = sprof_wait_words_object(&profile, &row);
	assert_string_equal(alone, "mutex m+0 and 3 more like it");
}

TEST_MAIN("wait-words")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_object_says_how_many_and_whose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
