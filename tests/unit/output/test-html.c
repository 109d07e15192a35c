/*
 * output/html and output/flame: what is embedded in the page and in the picture, byte by byte for
 * the worked example; and that nothing from the target gets out of its place. With an argument,
 * what python3 then reads: `data`, `hostile` or `svg`.
 */
#include "output/html/html.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "profile/views/view.h"
#include "tests/unit/check.h"
#include "tests/unit/output/written.h"
#include "tests/unit/profile/example.h"

static char *data_of(const struct sprof_profile *profile)
{
	struct sprof_output_options options = sprof_output_options_default();
	struct sprof_error err;
	int fd;
	struct sprof_out *out = written_open(&fd);

	assert_true(sprof_html_write_data(profile, &options, out, &err));
	return written_take(out, fd);
}

static char *written(const struct sprof_profile *profile, const struct sprof_format *format)
{
	struct sprof_output_options options = sprof_output_options_default();

	return written_by(format, profile, &options);
}

static struct sprof_profile *hostile(void)
{
	static const char *const names[] = {"<script>alert(1)</script>", "</script><!--", "\"\\&'",
		"\x01\x7f\n\xff", "\xef\xbf\xbe", "]]>"};
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t thread = example_thread(profile, "</script>");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		example_add(profile, thread, names[i],
			&(struct sprof_metrics){.samples = 1, .times = {{5}}});
	assert_true(sprof_profile_describe(profile, "</title></script>", 0));
	return profile;
}

static void the_example(void **state)
{
	struct sprof_profile *profile = example_worked();
	SPROF_AUTO_FREE char *data = data_of(profile), *golden = NULL, *path = NULL;

	assert_true(asprintf(&path, "%s/example-page.json", getenv("SPROF_GOLDEN")) >= 0);
	golden = written_file(path);
	assert_memory_equal(data, "{\"version\":3,\n\"command\":\"./example\",\n", 35);
	/* The quality before it has a test of its own. */
	assert_string_equal(strstr(data, "\"strings\":"), golden);
	sprof_profile_destroy(profile);
}

static void the_page_is_whole(void **state)
{
	struct sprof_profile *profile = example_worked();
	SPROF_AUTO_FREE char *page = written(profile, &sprof_format_html), *data = data_of(profile);

	assert_memory_equal(page, "<!DOCTYPE html>", 15);
	assert_non_null(strstr(page, data));
	assert_non_null(strstr(page, "Content-Security-Policy"));
	assert_null(strstr(page, "@DATA@"));
	assert_null(strstr(page, "SCRIPT@"));
	assert_string_equal(page + strlen(page) - 8, "</html>\n");
	sprof_profile_destroy(profile);
}

static void the_data_block_has_no_markup(void **state)
{
	struct sprof_profile *profile = hostile();
	SPROF_AUTO_FREE char *data = data_of(profile);

	assert_null(strpbrk(data, "<>&\x01\x7f"));
	assert_non_null(strstr(data, "\"\\u003cscript\\u003ealert(1)\\u003c/script\\u003e\""));
	assert_non_null(strstr(data, "\"\\u0022\\u005c\\u0026'\""));
	assert_non_null(strstr(data, "\"???\xef\xbf\xbd\""));
	sprof_profile_destroy(profile);
}

static void stacks_that_differ_in_nothing_that_is_shown_are_one(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	uint32_t one = example_thread(profile, "one"), two = example_thread(profile, "two");
	struct sprof_metrics metrics = {.samples = 2, .times = {{1, 2, 3, 4}}};
	SPROF_AUTO_FREE char *data = NULL;

	example_add(profile, two, "main;f", &metrics);
	example_add(profile, one, "main;f", &metrics);
	example_add(profile, one, "main", &metrics);
	data = data_of(profile);
	/* Distance and frame; distance, context, own function, samples, and the five classes of time. */
	assert_non_null(strstr(data, "\"nodes\":\"BABB\""));
	assert_non_null(strstr(data, "\"rows\":[\"BABCBCDEABACCBCDEA\",\n\"CACCBCDEA\"]"));
	sprof_profile_destroy(profile);
}

/* A second of computing, for which sprof took as much. */
static void what_sprof_took_is_in_the_page_where_it_is_much(void **state)
{
	for (uint64_t own_ms = 10; own_ms <= 1000; own_ms *= 100) {
		struct sprof_profile *profile = sprof_profile_create(NULL);
		SPROF_AUTO_FREE char *data = NULL;

		example_add(profile, example_thread(profile, "a"), "main;work",
			&(struct sprof_metrics){
				.samples = 99, .times.ns = {[SPROF_TIME_USER] = SPROF_NS_PER_S}});
		sprof_profile_set_quality(profile,
			&(struct sprof_quality){.duration_ns = SPROF_NS_PER_S,
				.rate_hz = 99,
				.samples_stopped = 99,
				.profiler_cpu_ns = own_ms * SPROF_NS_PER_MS,
				.cpus = 2});
		data = data_of(profile);
		assert_int_equal(strstr(data, "\"cost\":\"sprof used 1.000 s of CPU time") != NULL,
			own_ms == 1000);
		sprof_profile_destroy(profile);
	}
}

static void an_empty_profile_has_a_page_too(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	SPROF_AUTO_FREE char *data = data_of(profile), *svg = written(profile, &sprof_format_svg);

	assert_non_null(strstr(data, "\"command\":null"));
	assert_non_null(strstr(data, "\"rows\":[]"));
	assert_non_null(strstr(svg, "</svg>"));
	sprof_profile_destroy(profile);
}

static void the_picture_has_every_frame(void **state)
{
	struct sprof_profile *profile = example_worked();
	SPROF_AUTO_FREE char *svg = written(profile, &sprof_format_svg);

	assert_non_null(strstr(svg,
		"<g data-s=\"0\" data-t=\"12000000\" data-d=\"3\">"
		"<title>b\n12.0 ms, 70.59 %; self 4.00 ms</title>"));
	assert_non_null(
		strstr(svg, "<g data-s=\"12000000\" data-t=\"2000000\" data-d=\"3\"><title>c\n"));
	sprof_profile_destroy(profile);
}

static int print(const char *what)
{
	struct sprof_profile *profile = strcmp(what, "data") == 0 ? example_worked() : hostile();
	SPROF_AUTO_FREE char *text =
		strcmp(what, "svg") == 0 ? written(profile, &sprof_format_svg) : data_of(profile);

	fputs(text, stdout);
	sprof_profile_destroy(profile);
	return 0;
}

TEST_MAIN("html")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example),
		cmocka_unit_test(the_page_is_whole),
		cmocka_unit_test(the_data_block_has_no_markup),
		cmocka_unit_test(stacks_that_differ_in_nothing_that_is_shown_are_one),
		cmocka_unit_test(what_sprof_took_is_in_the_page_where_it_is_much),
		cmocka_unit_test(an_empty_profile_has_a_page_too),
		cmocka_unit_test(the_picture_has_every_frame),
	};

	if (argc > 1)
		return print(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
