/*
 * sampler/descriptors: what a descriptor is now counts for a moment in the past if it was the same before that.
 */
#include "sampler/account/waits.h"

#include "base/clock.h"
#include "tests/unit/check.h"

#define MS ((uint64_t)SPROF_NS_PER_MS)

static struct descriptors descriptors;

static int begin(void **state)
{
	descriptors = (struct descriptors){0};
	return 0;
}

static bool look(pid_t pid, int number, const char *text, uint64_t now_ns, uint64_t moment_ns)
{
	const struct descriptor_look look = {pid, number, text, now_ns};

	return sprof_descriptors_were_same(&descriptors, &look, moment_ns);
}

static void the_first_look_tells_of_what_has_just_passed(void **state)
{
	assert_true(look(7, 3, "/one", 100 * MS, 99 * MS));
	assert_false(look(7, 3, "/one", 100 * MS, 90 * MS));
}

static void only_what_stays_the_same_is_known(void **state)
{
	look(7, 3, "/one", 100 * MS, 100 * MS);
	assert_true(look(7, 3, "/one", 180 * MS, 110 * MS));
	assert_false(look(7, 3, "/one", 180 * MS, 95 * MS));
	assert_false(look(8, 3, "/one", 180 * MS, 110 * MS));
	assert_false(look(7, 4, "/one", 180 * MS, 110 * MS));
}

/* A program that opens one file after the other has the same number for all of them. */
static void another_file_is_not_that_of_before(void **state)
{
	look(7, 3, "/one", 100 * MS, 100 * MS);
	assert_false(look(7, 3, "/two", 180 * MS, 110 * MS));
	assert_false(look(7, 3, "/one", 260 * MS, 190 * MS));
	assert_true(look(7, 3, "/one", 340 * MS, 270 * MS));
}

TEST_MAIN("descriptors")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(the_first_look_tells_of_what_has_just_passed, begin),
		cmocka_unit_test_setup(only_what_stays_the_same_is_known, begin),
		cmocka_unit_test_setup(another_file_is_not_that_of_before, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
