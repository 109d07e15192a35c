/*
 * base/strings: beginnings, ends and parts of texts, lists of words, and texts that are whole or not there.
 */
#include "base/strings.h"

#include <stdlib.h>

#include "tests/unit/check.h"

static void beginnings_and_ends(void **state)
{
	static const char *const starts[] = {"lib", "ld-", NULL};

	assert_true(sprof_string_starts_with("libc.so", "lib"));
	assert_true(sprof_string_starts_with("libc.so", ""));
	assert_false(sprof_string_starts_with("li", "lib"));
	assert_true(sprof_string_ends_with("libc.so", ".so"));
	assert_true(sprof_string_ends_with("libc.so", ""));
	assert_false(sprof_string_ends_with("so", ".so"));
	assert_true(sprof_string_starts_with_any("ld-linux.so", starts));
	assert_false(sprof_string_starts_with_any("a.out", starts));
	assert_true(sprof_string_is_one_of("ld-", starts));
	assert_false(sprof_string_is_one_of("ld-linux.so", starts));
}

static void a_text_without_an_end_is_a_word(void **state)
{
	assert_true(sprof_string_is("mainly", 4, "main"));
	assert_false(sprof_string_is("mainly", 5, "main"));
	assert_false(sprof_string_is("main", 3, "main"));
	assert_true(sprof_string_is("main", 0, ""));
}

static void the_file_name_follows_the_last_slash(void **state)
{
	assert_string_equal(sprof_string_file_name("/usr/lib/libc.so"), "libc.so");
	assert_string_equal(sprof_string_file_name("libc.so"), "libc.so");
	assert_string_equal(sprof_string_file_name("/usr/lib/"), "");
}

static void words_of_a_list_are_whole(void **state)
{
	static const char list[] = "  sse4_1 avx  avx2 ";

	assert_true(sprof_string_has_word(list, "sse4_1", 6));
	assert_true(sprof_string_has_word(list, "avx", 3));
	assert_true(sprof_string_has_word(list, "avx2", 4));
	assert_true(sprof_string_has_word(list, "avx512", 3));
	assert_false(sprof_string_has_word(list, "avx512", 6));
	assert_false(sprof_string_has_word(list, "sse4", 4));
	assert_false(sprof_string_has_word("", "avx", 3));
}

static void one_is_no_plural(void **state)
{
	assert_string_equal(sprof_string_plural(0), "s");
	assert_string_equal(sprof_string_plural(1), "");
	assert_string_equal(sprof_string_plural(UINT64_MAX), "s");
}

static void a_format_makes_a_text(void **state)
{
	char *text = sprof_string_print("%s;%d", "main", 7);

	assert_string_equal(text, "main;7");
	free(text);
}

static char *close_after(const char *written, bool ok)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);

	assert_non_null(stream);
	assert_true(fputs(written, stream) >= 0);
	return sprof_string_close(stream, &text, ok);
}

static void a_stream_gives_its_whole_text_or_none(void **state)
{
	char *none = NULL, *text = close_after("main", true);

	assert_string_equal(text, "main");
	free(text);
	assert_null(close_after("main", false));
	assert_null(sprof_string_close(NULL, &none, true));
}

TEST_MAIN("strings")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(beginnings_and_ends),
		cmocka_unit_test(a_text_without_an_end_is_a_word),
		cmocka_unit_test(the_file_name_follows_the_last_slash),
		cmocka_unit_test(words_of_a_list_are_whole),
		cmocka_unit_test(one_is_no_plural),
		cmocka_unit_test(a_format_makes_a_text),
		cmocka_unit_test(a_stream_gives_its_whole_text_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
