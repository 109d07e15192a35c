/*
 * base/error: kinds, the text behind an errno, hints, and texts too long for their place.
 */
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/check.h"

static void set_fills_kind_and_message(void **state)
{
	struct sprof_error err = {.os_errno = 7, .hint = "old"};

	assert_false(sprof_error_set(&err, SPROF_ERROR_USAGE, "rate %d", 0));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	assert_int_equal(err.os_errno, 0);
	assert_string_equal(err.message, "rate 0");
	assert_string_equal(err.hint, "");
}

static void errno_gives_kind_and_words(void **state)
{
	static const struct {
		int errnum;
		enum sprof_error_kind kind;
	} cases[] = {
		{ENOENT, SPROF_ERROR_NOT_FOUND},
		{EPERM, SPROF_ERROR_PERMISSION},
		{EACCES, SPROF_ERROR_PERMISSION},
		{ESRCH, SPROF_ERROR_TARGET_GONE},
		{ENOMEM, SPROF_ERROR_NO_MEMORY},
		{ENOSYS, SPROF_ERROR_UNSUPPORTED},
		{ENOSPC, SPROF_ERROR_IO},
	};
	char expected[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_error err = {0};

		assert_false(sprof_error_errno(&err, cases[i].errnum, "attach to %d", 12));
		snprintf(expected, sizeof(expected), "attach to 12: %s", strerror(cases[i].errnum));
		assert_string_equal(err.message, expected);
		assert_int_equal(err.kind, cases[i].kind);
		assert_int_equal(err.os_errno, cases[i].errnum);
	}
}

static void a_hint_is_added_and_a_new_error_drops_it(void **state)
{
	struct sprof_error err = {0};

	sprof_error_no_memory(&err);
	assert_int_equal(err.kind, SPROF_ERROR_NO_MEMORY);
	sprof_error_hint(&err, "buy %s", "more");
	assert_string_equal(err.hint, "buy more");
	sprof_error_errno(&err, EIO, "read");
	assert_string_equal(err.hint, "");
}

static void long_text_is_cut(void **state)
{
	struct sprof_error err = {0};
	char text[2000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	sprof_error_errno(&err, EIO, "%s", text);
	assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
	sprof_error_hint(&err, "%s", text);
	assert_int_equal(strlen(err.hint), sizeof(err.hint) - 1);
}

TEST_MAIN("error")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_fills_kind_and_message),
		cmocka_unit_test(errno_gives_kind_and_words),
		cmocka_unit_test(a_hint_is_added_and_a_new_error_drops_it),
		cmocka_unit_test(long_text_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
