/*
 * output/format and output/units: the table is consistent, and figures round as a person would.
 */
#include "output/format.h"

#include <string.h>

#include "base/clock.h"
#include "output/units.h"
#include "tests/unit/check.h"

static void every_row_is_complete_and_found(void **state)
{
	const struct sprof_format *format;
	size_t count = 0;

	for (; (format = sprof_format_at(count)); count++) {
		assert_true(format->name[0] && format->summary[0] && format->write);
		assert_true(format->suffix[0]);
		assert_ptr_equal(sprof_format_by_name(format->name), format);
		assert_ptr_equal(sprof_format_by_path(format->suffix), format);
	}
	assert_true(count >= 2);
}

static void paths_are_matched_by_their_end(void **state)
{
	assert_ptr_equal(sprof_format_by_path("out/a.b.folded"), &sprof_format_folded);
	assert_ptr_equal(sprof_format_by_path("x.txt"), &sprof_format_text);
	assert_null(sprof_format_by_path("folded"));
	assert_null(sprof_format_by_path("x.folded.gz"));
	assert_null(sprof_format_by_path(""));
	assert_null(sprof_format_by_name(""));
	assert_null(sprof_format_by_name("fold"));
}

static void times_are_short_and_round_right(void **state)
{
	const struct sprof_profile profile = {.kinds = {.has_times = true}};
	static const struct {
		uint64_t ns;
		const char *text;
	} cases[] = {
		{0, "0 s"},
		{1, "1 ns"},
		{999, "999 ns"},
		{1000, "1.00 us"},
		{9994, "9.99 us"},
		{9995, "10.0 us"},
		{999949, "999.9 us"},
		{999950, "1.00 ms"},
		{56700000, "56.7 ms"},
		{999949999, "999.9 ms"},
		{999950000, "1.000 s"},
		{1234000000, "1.234 s"},
		{9999500000, "10.00 s"},
		{123456789012, "123.5 s"},
		{999950000000, "1000 s"},
		{86400 * (uint64_t)SPROF_NS_PER_S, "86400 s"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(sprof_figure_time(cases[i].ns).text, cases[i].text);
		assert_true(strlen(cases[i].text) <= 8);
	}
	assert_string_equal(sprof_figure_value(&profile, SPROF_WEIGHT_SAMPLES, 17).text, "17");
	assert_string_equal(sprof_figure_value(&profile, SPROF_WEIGHT_RUNQ, 17).text, "17 ns");
}

TEST_MAIN("format")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_complete_and_found),
		cmocka_unit_test(paths_are_matched_by_their_end),
		cmocka_unit_test(times_are_short_and_round_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
