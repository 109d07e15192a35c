/* profile/model/function-key.c: which functions of one profile are one. */
#include <string.h>

#include "profile/model/build.h"
#include "profile/names/resolve.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

/* A function as a test writes it: two are in one module if its path is the same. */
struct described {
	const char *name, *linkage, *file, *module;
};

static uint32_t put(struct sprof_profile *profile, const struct described *described)
{
	struct sprof_profile_function function = {
		.name = described->name, .linkage = described->linkage, .file = described->file};
	uint32_t id;

	assert_true(sprof_build_module(profile, described->module, NULL, &function.module));
	assert_true(sprof_build_function(profile, &function, &id));
	return id;
}

static void within_a_profile(void **state)
{
	static const struct {
		struct described one, other;
		bool same;
	} rows[] = {
		{{"work", "work", "/s/a.c", "/app"}, {"work", "work", "/s/a.c", "/app"}, true},
		{{"work", "work", "/s/a.c", "/app"}, {"work", "work", "/s/b.c", "/app"}, false},
		{{"work", "work", "/s/a.c", "/app"}, {"work", "work", "/s/a.c", "/lib.so"}, false},
		/* Closures have one name, and each a linkage name. */
		{{"f::{{closure}}", "_ZNh1E", "/s/a.rs", "/app"},
			{"f::{{closure}}", "_ZNh2E", "/s/a.rs", "/app"}, false},
		/* DWARF has no linkage name for what no other file can see. */
		{{"one::run", "run", "/s/a.cpp", "/app"}, {"two::run", "run", "/s/a.cpp", "/app"},
			false},
		{{"work", "work", NULL, "/app"}, {"work", "work", NULL, "/app"}, true},
		{{"work", "work", NULL, "/app"}, {"work", "work", "/s/a.c", "/app"}, false},
		/* One header, included from two folders. */
		{{"list", "list", "/s/a/../list.h", "/app"},
			{"list", "list", "/s/b/../list.h", "/app"}, true},
		{{"list", "list", "/s/./list.h", "/app"}, {"list", "list", "/s//list.h", "/app"},
			true},
		{{"list", "list", "../list.h", "/app"}, {"list", "list", "../../list.h", "/app"},
			false},
		{{"list", "list", "/s/a/../../list.h", "/app"}, {"list", "list", "/list.h", "/app"},
			true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sprof_profile *profile = sprof_build_create();

		if ((put(profile, &rows[i].one) == put(profile, &rows[i].other)) != rows[i].same)
			fail_msg("row %zu", i);
		sprof_profile_destroy(profile);
	}
}

/* A function may include lines of another file; whatever has no definition is where it was seen. */
static void a_line_has_its_file(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	static const struct sprof_location places[] = {
		{.function = "run",
			.file = "/s/cases.h",
			.line = 7,
			.function_file = "/s/run.c",
			.function_line = 3},
		{.function = "run",
			.file = "/s/run.c",
			.line = 7,
			.function_file = "/s/run.c",
			.function_line = 3},
		{.function = "memcpy", .file = "/s/memcpy.S", .line = 4},
	};
	struct sprof_profile_location locations[3] = {0};

	for (size_t i = 0; i < 3; i++)
		assert_true(sprof_profile_add_line(
			profile, &locations[i], &places[i], SPROF_MARK_CALLED));
	assert_int_equal(profile->function_count, 2);
	assert_int_equal(profile->lines[0].function, profile->lines[1].function);
	assert_string_equal(profile->functions[0].file, "/s/run.c");
	assert_string_equal(sprof_profile_line_file(profile, &profile->lines[0]), "/s/cases.h");
	assert_string_equal(sprof_profile_line_file(profile, &profile->lines[1]), "/s/run.c");
	assert_string_equal(profile->functions[1].file, "/s/memcpy.S");
	sprof_profile_destroy(profile);
}

TEST_MAIN("function-key")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(within_a_profile),
		cmocka_unit_test(a_line_has_its_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
