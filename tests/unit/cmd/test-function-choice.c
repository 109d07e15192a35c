/*
 * cmd/function-choice: lists of functions as users write them, and what they mean in the program and
 * in other files. The program is this test.
 */
#include "cmd/functions/choice.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/check.h"

static void check_wish(const struct sprof_function_wish *wish, const char *name, const char *file)
{
	assert_string_equal(wish->name, name);
	if (file)
		assert_string_equal(wish->file, file);
	else
		assert_null(wish->file);
}

static struct sprof_function_choice read_list(const char *text)
{
	struct sprof_function_choice choice = {0};
	struct sprof_error err;

	if (!sprof_function_choice_add(&choice, text, &err))
		fail_msg("%s: %s", text, err.message);
	return choice;
}

static void lists(void **state)
{
	static const struct {
		const char *text;
		size_t count;
		const char *names[4], *files[4];
	} cases[] = {
		{"parse", 1, {"parse"}, {NULL}},
		{"a,b@libc.so.6,c*@\"/path, with/a comma\"", 3, {"a", "b", "c*"},
			{NULL, "libc.so.6", "/path, with/a comma"}},
		{"strcmp@plt,m*@plt@libc.so.6,a@plots,b@\"plt\"", 4,
			{"strcmp@plt", "m*@plt", "a", "b"}, {NULL, "libc.so.6", "plots", "plt"}},
		{"f(int, char),g", 2, {"f(int, char)", "g"}, {NULL}},
		{"map<int, long>::at(int),g", 2, {"map<int, long>::at(int)", "g"}, {NULL}},
		{"operator<(A, B),operator,(A, B),operator()(int, int),operator->", 4,
			{"operator<(A, B)", "operator,(A, B)", "operator()(int, int)",
				"operator->"},
			{NULL}},
		{"A::operator<,\"a@b\"@c,operator[],my_operator<int, int>", 4,
			{"A::operator<", "a@b", "operator[]", "my_operator<int, int>"},
			{NULL, "c"}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_function_choice choice = read_list(cases[i].text);

		assert_int_equal(choice.count, cases[i].count);
		for (size_t j = 0; j < choice.count; j++)
			check_wish(&choice.items[j], cases[i].names[j], cases[i].files[j]);
		sprof_function_choice_finish(&choice);
	}
}

static void what_is_no_list(void **state)
{
	static const char *const texts[] = {"", ",", "a,", "a,,b", "@libc.so.6", "a@", "\"\"@b"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sprof_function_choice choice = {0};
		struct sprof_error err;

		if (sprof_function_choice_add(&choice, texts[i], &err))
			fail_msg("%s is accepted", texts[i]);
		assert_int_equal(err.kind, SPROF_ERROR_USAGE);
		sprof_function_choice_finish(&choice);
	}
}

static void names(void **state)
{
	static const char linkage[] = "_ZN2ns4TreeIiE6insertERKi";

	assert_true(sprof_function_is_called("parse", "parse"));
	assert_true(sprof_function_is_called("p?r*", "parse"));
	assert_false(sprof_function_is_called("pars", "parse"));
	assert_true(sprof_function_is_called(linkage, linkage));
	assert_true(sprof_function_is_called("ns::Tree<int>::insert(int const&)", linkage));
	assert_true(sprof_function_is_called("ns::Tree::insert", linkage));
	assert_true(sprof_function_is_called("ns::Tree<...>::insert", linkage));
	assert_true(sprof_function_is_called("ns::Tree::*", linkage));
	assert_true(sprof_function_is_called("*insert*", linkage));
	assert_false(sprof_function_is_called("ns::Tree", linkage));
}

static bool has(
	struct sprof_function_choice *choice, const struct sprof_module *module, const char *name)
{
	const struct sprof_listed listed = {
		.name = name, .returns_twice = sprof_name_returns_twice(name)};

	return sprof_function_choice_has(choice, module, &listed);
}

static void files(void **state)
{
	const struct sprof_module program = {
		.path = "/proc/self/exe", .fd = open("/proc/self/exe", O_RDONLY)};
	const struct sprof_module libc = {.path = "/lib/libc.so.6", .fd = -1};
	struct sprof_function_choice choice =
		read_list("main,nl_langinfo,wha*,free@libc.so.*,calloc@/lib/*,realloc@/usr/*");
	struct sprof_error err;

	assert_true(sprof_function_choice_begin(&choice, NULL, getpid(), &err));
	assert_true(has(&choice, &program, "main"));
	assert_false(has(&choice, &libc, "main"));
	assert_true(has(&choice, &libc, "nl_langinfo"));
	assert_true(has(&choice, &program, "what_is_no_list"));
	assert_false(has(&choice, &libc, "what_is_no_list"));
	assert_true(has(&choice, &libc, "free"));
	assert_false(has(&choice, &program, "free"));
	assert_true(has(&choice, &libc, "calloc"));
	assert_false(sprof_function_choice_check(&choice, &err));
	assert_non_null(strstr(err.message, "'realloc' in /usr/*"));
	sprof_function_choice_finish(&choice);
	close(program.fd);
}

static void links_of_a_library(void **state)
{
	static const struct {
		const char *wish, *path;
		bool is_it;
	} cases[] = {
		{"step@libsqlite3.so", "/lib/libsqlite3.so.0.8.6", true},
		{"step@libsqlite3.so.0", "/lib/libsqlite3.so.0.8.6", true},
		{"step@libsqlite3.so.0.8.6", "/lib/libsqlite3.so.0.8.6", true},
		{"step@libsqlite3.so", "/lib/libsqlite3.so", true},
		{"step@libsqlite3.so.0", "/lib/libsqlite3.so.08.6", false},
		{"step@libsqlite3.so.1", "/lib/libsqlite3.so.0.8.6", false},
		{"step@libsqlite3", "/lib/libsqlite3.so.0.8.6", false},
		{"step@libsqlite3.so", "/lib/libsqlite3.so.debug", false},
		{"step@/usr/libsqlite3.so.0", "/lib/libsqlite3.so.0.8.6", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct sprof_module module = {.path = (char *)cases[i].path, .fd = -1};
		struct sprof_function_choice choice = read_list(cases[i].wish);

		print_message("%s, %s\n", cases[i].wish, cases[i].path);
		assert_int_equal(has(&choice, &module, "step"), cases[i].is_it);
		sprof_function_choice_finish(&choice);
	}
}

static void stubs(void **state)
{
	const struct sprof_module libc = {.path = "/lib/libc.so.6", .fd = -1};
	struct sprof_function_choice all = read_list("*@libc.so.6"),
				     stubs_only = read_list("\"m*@plt\"@libc.so.6"),
				     one = read_list("\"malloc@plt\"@libc.so.6");

	assert_true(has(&all, &libc, "malloc"));
	assert_false(has(&all, &libc, "malloc@plt"));
	assert_true(has(&stubs_only, &libc, "malloc@plt"));
	assert_false(has(&stubs_only, &libc, "malloc"));
	assert_true(has(&one, &libc, "malloc@plt"));
	sprof_function_choice_finish(&all);
	sprof_function_choice_finish(&stubs_only);
	sprof_function_choice_finish(&one);
}

static void what_returns_twice(void **state)
{
	const struct sprof_module libc = {.path = "/lib/libc.so.6", .fd = -1};
	struct sprof_function_choice choice = read_list("*jmp@libc.so.6"), other = {0};
	struct sprof_error err;

	assert_true(has(&choice, &libc, "longjmp"));
	assert_false(has(&choice, &libc, "_setjmp"));
	assert_false(sprof_function_choice_add(&other, "swapcontext@libc.so.6", &err));
	assert_int_equal(err.kind, SPROF_ERROR_UNSUPPORTED);
	sprof_function_choice_finish(&choice);
	sprof_function_choice_finish(&other);
}

static void a_pattern_that_the_program_does_not_have(void **state)
{
	struct sprof_function_choice choice = read_list("main,no_such_*");
	struct sprof_error err;

	assert_false(sprof_function_choice_begin(&choice, NULL, getpid(), &err));
	assert_int_equal(err.kind, SPROF_ERROR_NOT_FOUND);
	assert_non_null(strstr(err.message, "no function matches 'no_such_*'"));
	assert_non_null(strstr(err.hint, "sprof symbols"));
	sprof_function_choice_finish(&choice);
}

TEST_MAIN("function-choice")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists),
		cmocka_unit_test(what_is_no_list),
		cmocka_unit_test(names),
		cmocka_unit_test(files),
		cmocka_unit_test(links_of_a_library),
		cmocka_unit_test(stubs),
		cmocka_unit_test(what_returns_twice),
		cmocka_unit_test(a_pattern_that_the_program_does_not_have),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
