/*
 * profile/program: which code is a program's own; profile/filter: who is charged for the rest.
 */
#include "profile/model/program.h"

#include "profile/edit/filter.h"
#include "profile/model/build.h"
#include "profile/views/view.h"
#include "tests/unit/check.h"

static const struct {
	const char *path;
	bool is_program;
} files[] = {
	{"/usr/bin/git", true},
	{"/usr/lib/x86_64-linux-gnu/libc.so.6", false},
	{"/opt/python/_ssl.cpython-311-x86_64-linux-gnu.so", false},
	{"/srv/lib.so.d/server", true},
	{"/usr/bin/also", true},
	{"/usr/bin/x.sorted", true},
	{"/usr/lib/libm-2.31.so.6.1", false},
};

/* A location of a function, in a file; NULL: in none. */
static uint32_t location_in(struct sprof_profile *profile, const char *path, const char *name)
{
	struct sprof_profile_function function = {.name = name, .module = SPROF_PROFILE_NONE};
	struct sprof_profile_line line = {0};
	struct sprof_frame frame = {.module = SPROF_PROFILE_NONE, .offset = (uint64_t)name[0]};
	uint32_t location;

	if (path)
		assert_true(sprof_build_module(profile, path, NULL, &frame.module));
	function.module = frame.module;
	assert_true(sprof_build_function(profile, &function, &line.function));
	assert_true(sprof_build_location(profile, &frame, &line, 1, &location));
	return location;
}

static void libraries_are_told_by_their_names(void **state)
{
	struct sprof_profile *profile = sprof_build_create();

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		const uint32_t location = location_in(profile, files[i].path, "f");

		assert_int_equal(
			sprof_profile_is_of_program(profile, &profile->locations[location]),
			files[i].is_program);
	}
	sprof_profile_destroy(profile);
}

static void code_of_no_file_is_not_the_programs(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	const uint32_t location = location_in(profile, NULL, "[read]");

	assert_false(sprof_profile_is_of_program(profile, &profile->locations[location]));
	sprof_profile_destroy(profile);
}

static void add(
	struct sprof_profile *profile, const uint32_t *locations, size_t count, uint64_t samples)
{
	const struct sprof_build_thread one = {.pid = 7, .tid = 7, .name = "t"};
	struct sprof_profile_row row = {.stack = SPROF_PROFILE_ROOT, .metrics.samples = samples};

	assert_true(sprof_build_thread(profile, &one, &row.thread));
	for (size_t i = 0; i < count; i++)
		assert_true(sprof_profile_push(profile, row.stack, locations[i], &row.stack));
	assert_true(sprof_build_context(
		profile, &(struct sprof_profile_context){.state = SPROF_STATE_USER}, &row.context));
	assert_true(sprof_build_row(profile, &row, NULL));
}

/* main -> memset, main -> memset -> [fault], start_thread alone, main. */
static void callers_are_charged(void **state)
{
	struct sprof_profile *profile = sprof_build_create(), *charged = NULL;
	const uint32_t main_ = location_in(profile, "/bin/app", "main"),
		       memset_ = location_in(profile, "/lib/libc.so.6", "memset"),
		       fault = location_in(profile, NULL, "[fault]"),
		       thread = location_in(profile, "/lib/libc.so.6", "start_thread");
	const struct sprof_filter filter = {.charge_callers = true};
	const struct sprof_view view = {
		.weight = SPROF_WEIGHT_SAMPLES, .thread = SPROF_PROFILE_NONE};
	struct sprof_flat flat = {0};
	struct sprof_error err;

	add(profile, (uint32_t[]){main_, memset_}, 2, 3);
	add(profile, (uint32_t[]){main_, memset_, fault}, 3, 2);
	add(profile, (uint32_t[]){thread}, 1, 5);
	add(profile, &main_, 1, 1);
	assert_false(sprof_filter_is_empty(&filter));
	assert_true(sprof_profile_filter(profile, &filter, &charged, &err));
	assert_true(sprof_flat_build(charged, &view, &flat, &err));
	assert_int_equal(flat.count, 2);
	for (size_t i = 0; i < flat.count; i++) {
		const char *name = charged->functions[flat.rows[i].function].name;

		assert_int_equal(flat.rows[i].self.samples, name[0] == 'm' ? 6 : 5);
	}
	sprof_flat_finish(&flat);
	sprof_profile_destroy(charged);
	sprof_profile_destroy(profile);
}

TEST_MAIN("program")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libraries_are_told_by_their_names),
		cmocka_unit_test(code_of_no_file_is_not_the_programs),
		cmocka_unit_test(callers_are_charged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
