/*
 * events/latency: strict units; everything else is refused.
 */
#include "events/language/latency.h"

#include <string.h>

#include "tests/unit/check.h"

static void is(const char *text, uint64_t expected)
{
	uint64_t ns = 0;

	if (!sprof_latency_parse(text, strlen(text), &ns))
		fail_msg("%s is refused", text);
	assert_int_equal(ns, expected);
}

static void is_refused(const char *text)
{
	uint64_t ns = 77;

	if (sprof_latency_parse(text, strlen(text), &ns))
		fail_msg("%s is accepted", text);
	assert_int_equal(ns, 77);
}

static void units(void **state)
{
	is("4ms", 4000000);
	is("100us", 100000);
	is("7ns", 7);
	is("2s", 2000000000);
	is("0ns", 0);
	is("007us", 7000);
}

static void fractions_are_exact(void **state)
{
	is("1.5ms", 1500000);
	is("0.1us", 100);
	is("0.000000001s", 1);
	is("1.0ns", 1);
	is("1.000000000000s", 1000000000);
	is("18446744073.709551615s", UINT64_MAX);
	is("18446744073709551615ns", UINT64_MAX);
}

static void what_is_no_latency(void **state)
{
	static const char *const texts[] = {"", "4", "ms", "4 ms", " 4ms", "4ms ", "4msx", "4m",
		"4h", "-4ms", "+4ms", "4MS", ".5ms", "4.ms", "1.5", "1.2.3ms", "0x4ms", "1e3ns",
		"1s500ms", "0.5ns", "0.0000000001s", "1.0001us5", "18446744073709551616ns",
		"18446744074s", "99999999999999999999s", "18446744073.709551616s"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		is_refused(texts[i]);
}

static void the_length_ends_it(void **state)
{
	uint64_t ns;

	assert_true(sprof_latency_parse("4ms,x", 3, &ns));
	assert_false(sprof_latency_parse("4ms,x", 4, &ns));
	assert_false(sprof_latency_parse("4ms,x", 2, &ns));
	assert_false(sprof_latency_parse("4ms,x", 0, &ns));
}

TEST_MAIN("latency")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(units),
		cmocka_unit_test(fractions_are_exact),
		cmocka_unit_test(what_is_no_latency),
		cmocka_unit_test(the_length_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
