/*
 * output/json: a text of any length is written whole.
 */
#include "output/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/check.h"
#include "tests/unit/output/written.h"

enum { SIZE = 2000 };

static void formats_of_any_length(void **state)
{
	static const int lengths[] = {0, 1, 255, 256, 257, 1000};
	char expected[SIZE];

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct sprof_json json = {0};
		char *found;
		int fd;

		json.out = written_open(&fd);
		sprof_json_format(&json, "<%*d|%s>", lengths[i], 7, "end");
		found = written_take(json.out, fd);
		snprintf(expected, sizeof(expected), "<%*d|%s>", lengths[i], 7, "end");
		assert_string_equal(found, expected);
		free(found);
	}
}

TEST_MAIN("json")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_of_any_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
