/*
 * output/clean: what is harmless stays as it is, everything else becomes one mark per character or byte, and
 * a buffer that is too small has whole characters.
 */
#include "output/clean.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

#define UNKNOWN "\xef\xbf\xbd" /* U+FFFD */

static const struct {
	const char *text, *clean;
} cases[] = {
	{"can't write x: No space left", "can't write x: No space left"},
	{"bl\xc3\xbcte \xe2\x82\xac \xf0\x9f\x8d\x8e",
		"bl\xc3\xbcte \xe2\x82\xac \xf0\x9f\x8d\x8e"},
	{"\033[31mred\033[0m", "?[31mred?[0m"}, {"two\nlines\r\tand\177", "two?lines??and?"},
	{"\xc2\x9b"
	 "31m",
		"?31m"}, /* C1: CSI */
	{"a\xe2\x80\xae"
	 "b",
		"a?b"}, /* right-to-left override */
	/* no UTF-8, and the first byte of a character */
	{"\xff\xc3", UNKNOWN UNKNOWN},
	{"\xed\xa0\x80", UNKNOWN UNKNOWN UNKNOWN}, /* half of a surrogate pair */
	{"\xc0\xaf", UNKNOWN UNKNOWN},             /* too long for what it means */
};

static void texts(void **state)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = sprof_clean_text(cases[i].text, NULL), copy[128];

		sprof_clean_copy(cases[i].text, copy, sizeof(copy));
		assert_string_equal(text, cases[i].clean);
		assert_string_equal(copy, cases[i].clean);
		free(text);
	}
}

static void empty_text(void **state)
{
	char *text = sprof_clean_text("", NULL), copy[5] = "x";

	sprof_clean_copy("", copy, sizeof(copy));
	assert_string_equal(text, "?");
	assert_string_equal(copy, "");
	free(text);
}

static void pairs(void **state)
{
	char *text = sprof_clean_text("a;b c;d", ";: _");

	assert_string_equal(text, "a:b_c:d");
	free(text);
}

/* Never beyond its end, and never a part of a character. */
static void small_buffers(void **state)
{
	static const char text[] = "a\xc3\xbc\xe2\x82\xac\xf0\x9f\x8d\x8e\xff\033";
	char whole[64];

	sprof_clean_copy(text, whole, sizeof(whole));
	for (size_t size = 5; size < sizeof(whole); size++) {
		char copy[64], *again;

		memset(copy, 'x', sizeof(copy));
		sprof_clean_copy(text, copy, size);
		assert_true(strlen(copy) < size);
		assert_int_equal(strncmp(copy, whole, strlen(copy)), 0);
		for (size_t i = size; i < sizeof(copy); i++)
			assert_int_equal(copy[i], 'x');
		again = sprof_clean_text(copy, NULL);
		assert_string_equal(again, copy);
		free(again);
	}
	sprof_clean_copy("\xff\xff\xff", whole, 3 * 3 + 4);
	assert_string_equal(whole, UNKNOWN UNKNOWN UNKNOWN);
}

TEST_MAIN("clean")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
		cmocka_unit_test(empty_text),
		cmocka_unit_test(pairs),
		cmocka_unit_test(small_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
