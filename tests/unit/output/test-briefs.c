/* Short names of a profile: plain where that is enough, and never those of another function. */
#include "output/briefs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/fit.h"
#include "profile/model/build.h"
#include "tests/unit/check.h"

enum {
	TYPES = 7,
	MOST = TYPES * TYPES * TYPES,
};

/* The caller destroys *ret_profile. */
static struct sprof_briefs *briefs_of(
	const char *const *names, size_t count, struct sprof_profile **ret_profile)
{
	struct sprof_profile *profile = *ret_profile = sprof_build_create();
	struct sprof_briefs *briefs;
	uint32_t id;

	for (size_t i = 0; i < count; i++)
		assert_true(sprof_build_function(profile,
			&(struct sprof_profile_function){.name = names[i],
				.line = (uint32_t)i,
				.module = SPROF_PROFILE_NONE},
			&id));
	assert_true(sprof_briefs_create(profile, false, &briefs));
	assert_null(briefs);
	assert_true(sprof_briefs_create(profile, true, &briefs));
	assert_non_null(briefs);
	return briefs;
}

/* Pairs of whole name and short name. */
static void check(const char *const *pairs, size_t count)
{
	const char *names[MOST];
	struct sprof_profile *profile;
	struct sprof_briefs *briefs;

	for (size_t i = 0; i < count; i++)
		names[i] = pairs[2 * i];
	briefs = briefs_of(names, count, &profile);
	for (size_t i = 0; i < count; i++) {
		char *brief = sprof_briefs_fit(briefs, names[i], 0);

		assert_string_equal(brief, pairs[2 * i + 1]);
		free(brief);
	}
	sprof_briefs_destroy(briefs);
	sprof_profile_destroy(profile);
}

#define CHECK(...) \
	check((const char *const[]){__VA_ARGS__}, \
		sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *) / 2)

static void a_single_function_has_the_plain_form(void **state)
{
	CHECK("main", "main", "std::vector<int>::push_back(int const&)",
		"std::vector<...>::push_back", "[jit of node]", "[jit of node]");
}

static void a_name_that_occurs_twice_is_one(void **state)
{
	CHECK("f<int>(int)", "f<...>", "f<int>(int)", "f<...>");
}

static void instances_differ_by_arguments(void **state)
{
	CHECK("std::vector<int>::at(int)", "std::vector<int>::at", "std::vector<a::b<c> >::at(int)",
		"std::vector<b>::at");
	CHECK("g<a::b<int> >()", "g<b<int>>", "g<a::b<char> >()", "g<b<char>>");
}

static void overloads_differ_by_parameters(void **state)
{
	CHECK("f(int)", "f(int)", "f(std::string const&)", "f(string const&)", "g(int)", "g");
	CHECK("t<int>(a::b)", "t<...>(b)", "t<int>(a::c)", "t<...>(c)", "t<long>(a::b)", "t<long>");
}

/* What no form distinguishes has a number, which other functions don't change. */
static void the_rest_has_a_number(void **state)
{
	const char *const names[] = {"f(a::x)", "f(b::x)"};
	struct sprof_profile *profile;
	struct sprof_briefs *both = briefs_of(names, 2, &profile);
	char *one = sprof_briefs_fit(both, names[0], 0),
	     *other = sprof_briefs_fit(both, names[1], 0);

	assert_int_equal(strlen(one), strlen("f #12345"));
	assert_int_equal(strncmp(one, "f #", 3), 0);
	assert_string_not_equal(one, other);
	free(one);
	free(other);
	sprof_briefs_destroy(both);
	sprof_profile_destroy(profile);
}

static void long_paths_lose_their_beginning(void **state)
{
	CHECK("a_namespace_that_is_long::another_one::and_one_more_of_them::then_a_class::method(int)",
		"...::and_one_more_of_them::then_a_class::method");
}

/* What is unique needs no number, however long it is. */
static void a_long_part_stays_whole(void **state)
{
#define LONG "a_function_of_c_whose_name_has_more_columns_than_fit_a_line_of_text"

	CHECK(LONG, LONG, "some::space::that::is::left_out::" LONG "(int)", "...::" LONG);
#undef LONG
}

/* The bracket that a text closes last is the one that it opened last. */
static void check_brackets(const char *text)
{
	static const char open[] = "(<{[", close[] = ")>}]";
	char opened[SPROF_BRIEF_ROOM];
	size_t depth = 0;

	for (const char *at = text; *at; at++) {
		if (strchr(open, *at))
			opened[depth++] = close[strchr(open, *at) - open];
		else if (strchr(close, *at) && (!depth || opened[--depth] != *at))
			fail_msg("brackets do not match: %s", text);
	}
	if (depth)
		fail_msg("an open bracket: %s", text);
}

/* Every set of names keeps its size and its brackets, and no name is too long if it has parts. */
static void no_two_are_equal(void **state)
{
	static const char *const types[TYPES] = {"a::x", "b::x", "a::y<b::x>", "a::y<c::x>",
		"(a::e)1", "void (*)(a::b)", "std::function<void (a::b)>"};
	char texts[MOST][160];
	const char *names[MOST];
	char *shortened[MOST];
	struct sprof_profile *profile;
	struct sprof_briefs *briefs;

	for (size_t i = 0; i < MOST; i++) {
		snprintf(texts[i], sizeof(texts[i]),
			"void some::space::with::parts::method<%s, %s>(%s)", types[i % TYPES],
			types[i / TYPES % TYPES], types[i / TYPES / TYPES]);
		names[i] = texts[i];
	}
	briefs = briefs_of(names, MOST, &profile);
	for (size_t i = 0; i < MOST; i++) {
		shortened[i] = sprof_briefs_fit(briefs, names[i], 0);
		assert_true(sprof_fit_length(shortened[i]) <= SPROF_BRIEF_ROOM);
		check_brackets(shortened[i]);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(shortened[i], shortened[k]);
	}
	for (size_t i = 0; i < MOST; i++)
		free(shortened[i]);
	sprof_briefs_destroy(briefs);
	sprof_profile_destroy(profile);
}

TEST_MAIN("briefs")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_single_function_has_the_plain_form),
		cmocka_unit_test(a_name_that_occurs_twice_is_one),
		cmocka_unit_test(instances_differ_by_arguments),
		cmocka_unit_test(overloads_differ_by_parameters),
		cmocka_unit_test(the_rest_has_a_number),
		cmocka_unit_test(long_paths_lose_their_beginning),
		cmocka_unit_test(a_long_part_stays_whole),
		cmocka_unit_test(no_two_are_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
