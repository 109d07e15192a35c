/* Words about a critical path: names are shortened one by one, and as little as possible. */
#include "output/critical-words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "output/fit.h"
#include "profile/model/build.h"
#include "tests/unit/check.h"

static uint32_t add_function(struct sprof_profile *profile, const char *name, bool unresolved)
{
	const struct sprof_profile_function function = {
		.name = name, .module = SPROF_PROFILE_NONE, .unresolved = unresolved};
	uint32_t id;

	assert_true(sprof_build_function(profile, &function, &id));
	return id;
}

static void check(
	const char *caller, const char *name, bool unresolved, size_t room, const char *expected)
{
	struct sprof_profile *profile = sprof_build_create();
	const struct sprof_critical_subject subject = {"writer",
		add_function(profile, name, unresolved),
		caller ? add_function(profile, caller, unresolved) : SPROF_PROFILE_NONE, false};
	char *words = sprof_critical_subject_words(profile, &subject, room);

	assert_string_equal(words, expected);
	assert_true(sprof_fit_length(words) <= room);
	free(words);
	sprof_profile_destroy(profile);
}

static void names_that_fit_are_whole(void **state)
{
	check("save", "flush", false, 22, "save > flush in writer");
	check(NULL, "flush", false, 15, "flush in writer");
	check("save", "flush", false, SIZE_MAX, "save > flush in writer");
}

static void each_name_has_its_own_gap(void **state)
{
	check("write_everything_to_disk", "flush", false, 40,
		"write_eve...ng_to_disk > flush in writer");
}

static void a_short_name_leaves_its_room_to_the_other_one(void **state)
{
	check("save", "write_everything_to_disk", false, 40,
		"save > write_ever...ng_to_disk in writer");
}

static void in_little_room_there_is_one_name(void **state)
{
	check("save_everything", "write_everything_to_disk", false, 30,
		"write_ev...g_to_disk in writer");
}

static void addresses_have_no_caller(void **state)
{
	check("gzip+0xda60", "gzip+0xcc20", true, 60, "gzip+0xcc20 in writer");
}

TEST_MAIN("critical-words")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_that_fit_are_whole),
		cmocka_unit_test(each_name_has_its_own_gap),
		cmocka_unit_test(a_short_name_leaves_its_room_to_the_other_one),
		cmocka_unit_test(in_little_room_there_is_one_name),
		cmocka_unit_test(addresses_have_no_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
