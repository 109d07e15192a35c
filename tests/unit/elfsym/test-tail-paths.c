/*
 * elfsym/tail-paths: made-up graphs, and random ones against the definition: all paths listed.
 */
#include "elfsym/code/tail-paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

enum { MAX_CALLS = 64 };

/* "ab bc c?": a calls b, b calls c, c calls what nobody knows. */
struct graph {
	const char *text;
	struct sprof_tail_call calls[MAX_CALLS];
};

static bool list_calls(void *data, uint64_t function, struct sprof_tail_list *ret)
{
	struct graph *graph = data;
	uint64_t place = 1000;

	*ret = (struct sprof_tail_list){.items = graph->calls};
	for (const char *at = graph->text; at[0]; at += at[2] ? 3 : 2, place++) {
		if ((uint64_t)at[0] != function)
			continue;
		if (at[1] == '?')
			ret->leads_anywhere = true;
		else
			graph->calls[ret->count++] =
				(struct sprof_tail_call){.place = place, .target = (uint64_t)at[1]};
	}
	return true;
}

/* From a to z: the functions of the path, "several" or "none". */
static void find(const char *text, char result[MAX_CALLS])
{
	struct graph graph = {.text = text};
	const struct sprof_tail_graph access = {.data = &graph, .calls = list_calls};
	struct sprof_tail_path path;
	size_t count = 0;

	assert_true(sprof_tail_path_find(&access, 'a', 'z', &path));
	strcpy(result, path.outcome == SPROF_TAIL_PATH_NONE ? "none" : "several");
	assert_true(path.outcome == SPROF_TAIL_PATH_ONE || !path.count);
	if (path.outcome == SPROF_TAIL_PATH_ONE) {
		for (; count < path.count; count++)
			result[count] = (char)path.steps[count].function;
		result[count] = '\0';
	}
	sprof_tail_path_finish(&path);
}

static void expect(const char *text, const char *expected)
{
	char result[MAX_CALLS];

	find(text, result);
	assert_string_equal(result, expected);
}

static void test_made_up(void **state)
{
	expect("", "none");
	expect("bz", "none");
	expect("az", "a");
	expect("ab bz", "ab");
	expect("ab bc cd dz", "abcd");
	/* Ways that end elsewhere don't matter. */
	expect("ab ac cd bz", "ab");
	expect("ab bz ac cz", "several");
	expect("az ab bz", "several");
	expect("ab ac bd cd dz", "several");
}

static void test_cycles(void **state)
{
	expect("aa az", "a");
	expect("ab ba bz", "ab");
	expect("ab bc cb ca cz", "abc");
	expect("ab bb bc cb", "none");
	expect("ab ba bz ac cz", "several");
	/* What the function calls that is looked for comes too late. */
	expect("ab bz zc cz", "ab");
	expect("ab bz zc c?", "ab");
}

static void test_unknown(void **state)
{
	expect("a?", "none");
	expect("a? az", "several");
	expect("ab bz b?", "several");
	expect("ab bz ac cd d?", "several");
	expect("ab bz e?", "ab");
}

static void test_equal_functions(void **state)
{
	struct graph graph = {.text = "aa"};
	const struct sprof_tail_graph access = {.data = &graph, .calls = list_calls};
	struct sprof_tail_path path;

	assert_true(sprof_tail_path_find(&access, 'a', 'a', &path));
	assert_int_equal(path.outcome, SPROF_TAIL_PATH_NONE);
	sprof_tail_path_finish(&path);
}

static void test_places(void **state)
{
	struct graph graph = {.text = "ab bz bz"};
	const struct sprof_tail_graph access = {.data = &graph, .calls = list_calls};
	struct sprof_tail_path path;

	assert_true(sprof_tail_path_find(&access, 'a', 'z', &path));
	assert_int_equal(path.outcome, SPROF_TAIL_PATH_ONE);
	assert_int_equal(path.count, 2);
	assert_int_equal(path.steps[0].place, 1000);
	assert_int_equal(path.steps[1].place, 0);
	sprof_tail_path_finish(&path);
}

/* The definition: lists every path that visits no function twice. */
struct listing {
	const char *text;
	size_t count;
	char way[MAX_CALLS], first[MAX_CALLS];
};

static void list_paths(struct listing *listing, size_t depth)
{
	char here = listing->way[depth - 1], seen[256] = {0};

	listing->way[depth] = '\0';
	for (const char *at = listing->text; at[0]; at += at[2] ? 3 : 2) {
		if (at[0] != here || seen[(unsigned char)at[1]]++ || strchr(listing->way, at[1]))
			continue;
		if (at[1] == 'z') {
			if (!listing->count++)
				strcpy(listing->first, listing->way);
			continue;
		}
		listing->way[depth] = at[1];
		list_paths(listing, depth + 1);
		listing->way[depth] = '\0';
	}
}

static void test_random(void **state)
{
	static const char names[] = "abcdez";
	unsigned kinds[3] = {0};

	srand(1);
	for (int round = 0; round < 20000; round++) {
		struct listing listing = {.way = "a"};
		char text[MAX_CALLS], result[MAX_CALLS];
		size_t calls = 1 + (size_t)rand() % 9;

		for (size_t i = 0; i < calls; i++)
			snprintf(text + 3 * i, sizeof(text) - 3 * i, "%c%c ", names[rand() % 6],
				names[rand() % 6]);
		text[3 * calls - 1] = '\0';
		listing.text = text;
		list_paths(&listing, 1);
		find(text, result);
		assert_string_equal(result,
			listing.count == 0           ? "none"
				: listing.count == 1 ? listing.first
						     : "several");
		kinds[listing.count < 2 ? listing.count : 2]++;
	}
	for (size_t i = 0; i < 3; i++)
		assert_true(kinds[i] > 100);
}

/* Function n calls n + 1 up to n + `width`, without end. */
struct endless {
	uint64_t width, asked;
	struct sprof_tail_call calls[5000];
};

static bool list_endless(void *data, uint64_t function, struct sprof_tail_list *ret)
{
	struct endless *endless = data;

	endless->asked++;
	for (uint64_t i = 0; i < endless->width; i++)
		endless->calls[i] = (struct sprof_tail_call){.target = function + 1 + i};
	*ret = (struct sprof_tail_list){.items = endless->calls, .count = endless->width};
	return true;
}

static enum sprof_tail_outcome find_in_endless(uint64_t width, uint64_t from, uint64_t to)
{
	struct endless *endless = calloc(1, sizeof(*endless));
	const struct sprof_tail_graph access = {.data = endless, .calls = list_endless};
	struct sprof_tail_path path;
	enum sprof_tail_outcome outcome;

	assert_non_null(endless);
	endless->width = width;
	assert_true(sprof_tail_path_find(&access, from, to, &path));
	assert_in_range(endless->asked, 1, 2000);
	outcome = path.outcome;
	assert_int_equal(path.count != 0, outcome == SPROF_TAIL_PATH_ONE);
	sprof_tail_path_finish(&path);
	free(endless);
	return outcome;
}

/* Only what is certain is told, and a search of what has no end comes to an end. */
static void test_endless(void **state)
{
	assert_int_equal(find_in_endless(1, 1, 50), SPROF_TAIL_PATH_ONE);
	/* A path too long to be read; one that isn't found. */
	assert_int_equal(find_in_endless(1, 1, 500), SPROF_TAIL_PATH_SEVERAL);
	assert_int_equal(find_in_endless(1, 1, 100000), SPROF_TAIL_PATH_NONE);
	assert_int_equal(find_in_endless(1, 2, 1), SPROF_TAIL_PATH_NONE);
	/* Many calls of each function. */
	assert_int_equal(find_in_endless(2, 1, 1500), SPROF_TAIL_PATH_SEVERAL);
	assert_int_equal(find_in_endless(5000, 1, 4000), SPROF_TAIL_PATH_SEVERAL);
	assert_int_equal(find_in_endless(5000, 1, 1000000), SPROF_TAIL_PATH_NONE);
}

TEST_MAIN("tail-paths")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_made_up),
		cmocka_unit_test(test_cycles),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_equal_functions),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
