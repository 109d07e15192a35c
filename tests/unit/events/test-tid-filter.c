/*
 * events/tid-filter: the filter lets the process's threads pass, also with very many of them.
 */
#include "events/recorded/tid-filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

static const char *const one[] = {"pid", NULL};
static const char *const two[] = {"prev_pid", "next_pid", NULL};

static void check(const char *const fields[], const pid_t *tids, size_t count, pid_t last,
	const char *expected)
{
	pid_t copy[16];
	char text[SPROF_TID_FILTER_MAX];

	memcpy(copy, tids, count * sizeof(*tids));
	sprof_tid_filter_write(fields, copy, count, last, text, sizeof(text));
	assert_string_equal(text, expected);
}

static void names_threads_and_ranges(void **state)
{
	static const pid_t tids[] = {7, 5, 6, 20, 31, 30};

	check(one, tids, 1, 9, "pid>9||pid==7");
	check(one, tids, 6, 99, "pid>99||(pid>=5&&pid<=7)||pid==20||(pid>=30&&pid<=31)");
	check(two, tids, 1, 9, "prev_pid>9||prev_pid==7||next_pid>9||next_pid==7");
}

static void what_was_born_later_needs_no_name(void **state)
{
	static const pid_t tids[] = {7, 500, 501};

	check(one, tids, 3, 100, "pid>100||pid==7");
	check(one, tids, 0, 100, "pid>100");
}

/* Whether a filter of one field lets an id pass. */
static bool passes(const char *filter, pid_t tid)
{
	const char *at = filter;
	int first, last, used;

	for (; *at; at += used, at += strspn(at, "|")) {
		used = 0;
		if (sscanf(at, "pid>%d%n", &first, &used) == 1 && used)
			last = INT32_MAX, first++;
		else if (sscanf(at, "pid==%d%n", &first, &used) == 1 && used)
			last = first;
		else if (sscanf(at, "(pid>=%d&&pid<=%d)%n", &first, &last, &used) != 2 || !used)
			fail_msg("not a filter: %s", at);
		if (tid >= first && tid <= last)
			return true;
	}
	return false;
}

static void many_threads_fit(void **state)
{
	enum { COUNT = 5000 };
	pid_t *tids = test_calloc(COUNT, sizeof(*tids));
	char text[SPROF_TID_FILTER_MAX];
	pid_t tid = 1000000;

	srand(1);
	for (size_t i = 0; i < COUNT; i++) {
		tid += 1 + rand() % 40;
		tids[i] = tid;
	}
	sprof_tid_filter_write(one, tids, COUNT, 4000000, text, sizeof(text));
	assert_true(strlen(text) < SPROF_TID_FILTER_MAX - 1);
	for (size_t i = 0; i < COUNT; i++)
		assert_true(passes(text, tids[i]));
	assert_false(passes(text, 999));
	assert_false(passes(text, 3999999));
	assert_true(passes(text, 4000001));
	sprof_tid_filter_write(two, tids, COUNT, 4000000, text, sizeof(text));
	assert_true(strlen(text) < SPROF_TID_FILTER_MAX - 1);
	test_free(tids);
}

TEST_MAIN("tid-filter")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_threads_and_ranges),
		cmocka_unit_test(what_was_born_later_needs_no_name),
		cmocka_unit_test(many_threads_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
