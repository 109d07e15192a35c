/* profile/sites: figures belong to the line of the program that called a library, whatever the library does. */
#include "profile/views/sites.h"

#include "profile/model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

static const char app[] = "/home/me/app", libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6",
		  source[] = "/home/me/app.c";

static void add(struct sprof_profile *profile, uint32_t thread,
	const struct example_function *functions, uint64_t value)
{
	example_add_row(profile, thread, example_stack_in(profile, functions),
		&(struct sprof_metrics){.samples = value});
}

static struct sprof_profile *make(void)
{
	static const struct example_function reads[] = {{"main", app, source, 46},
		{"read_history", app, source, 16}, {"malloc", libc}, {"_int_malloc", libc}, {0}};
	static const struct example_function reads_more[] = {{"main", app, source, 46},
		{"read_history", app, source, 16}, {"malloc", libc}, {"sysmalloc", libc}, {0}};
	static const struct example_function fills[] = {
		{"main", app, source, 46}, {"read_history", app, source, 18}, {0}};
	static const struct example_function starts[] = {
		{"_dl_start", libc}, {"_dl_map", libc}, {0}};
	struct sprof_profile *profile = sprof_build_create();
	const uint32_t thread = example_thread(profile, "a");

	add(profile, thread, reads, 70);
	add(profile, thread, reads_more, 20);
	add(profile, thread, fills, 8);
	add(profile, thread, starts, 2);
	return profile;
}

static void check(const struct sprof_profile *profile, const struct sprof_site *site,
	const char *name, const char *place, uint64_t value)
{
	assert_string_equal(profile->functions[site->function].name, name);
	assert_string_equal(sprof_site_place(site->file, site->line).text, place);
	assert_int_equal(site->value, value);
}

static void a_site_is_a_line_of_the_program(void **state)
{
	const struct sprof_view view = {
		.weight = SPROF_WEIGHT_SAMPLES, .thread = SPROF_PROFILE_NONE};
	struct sprof_profile *profile = make();
	struct sprof_sites sites;
	struct sprof_error err;

	assert_true(sprof_sites_build(profile, &view, &sites, &err));
	assert_int_equal(sites.count, 3);
	assert_int_equal(sites.whole, 100);
	check(profile, &sites.items[0], "read_history", "app.c:16", 90);
	check(profile, &sites.items[1], "read_history", "app.c:18", 8);
	check(profile, &sites.items[2], "_dl_map", "", 2);
	sprof_sites_finish(&sites);
	sprof_profile_destroy(profile);
}

TEST_MAIN("sites")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_site_is_a_line_of_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
