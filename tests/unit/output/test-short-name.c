/* Short names, and the names that only look as if they could be shortened. */
#include "output/short-name.h"

#include <stdlib.h>

#include "tests/unit/check.h"

static void check(const char *name, const char *expected)
{
	char *shortened = sprof_short_name(name);

	assert_string_equal(shortened, expected);
	free(shortened);
}

static void templates_and_parameters(void **state)
{
	check("std::vector<int, std::allocator<int> >::push_back(int const&)",
		"std::vector<...>::push_back");
	check("int& std::vector<int>::emplace_back<int>(int&&)",
		"std::vector<...>::emplace_back<...>");
	check("a::b(int, std::map<x, y> const&) const", "a::b");
	check("void f<(x::y)1, (1>2)>(char)", "f<...>");
	check("f(int) [clone .isra.0]", "f [clone .isra.0]");
}

static void lambdas_and_anonymous_namespaces(void **state)
{
	check("shop::(anonymous namespace)::total(int)", "shop::(anonymous namespace)::total");
	check("main::{lambda(int, int)#1}::operator()(int, int) const",
		"main::{lambda#1}::operator()");
	check("f(int)::g", "f::g");
}

static void operators(void **state)
{
	check("x::operator<(x const&) const", "x::operator<");
	check("std::ostream& operator<< <std::char_traits<char> >(std::ostream&, char)",
		"operator<< <...>");
	check("x::operator->() const", "x::operator->");
	check("x::operator()(int)", "x::operator()");
	check("x::operator bool() const", "x::operator bool");
	check("operator new(unsigned long)", "operator new");
	check("cooperator<int>::f()", "cooperator<...>::f");
}

static void receivers_and_shapes_of_go(void **state)
{
	check("main.(*worker).work.func1", "main.(*worker).work.func1");
	check("a.com/b/v2.(*List[go.shape.int_0,go.shape.[]uint8_1]).Add",
		"a.com/b/v2.(*List[...]).Add");
	check("main.sum[go.shape.map[string]int_0].func1", "main.sum[...].func1");
	check("main.sum[...]", "main.sum[...]");
	check("type..eq.struct { a int; f func(int) }", "type..eq.struct { a int; f func(int) }");
	check("created by main.(*worker).work", "created by main.(*worker).work");
	check("main.broken[go.shape.int", "main.broken[...]");
}

static void what_stays(void **state)
{
	check("main", "main");
	check("app+0x1230", "app+0x1230");
	check("<alloc::vec::Vec<T> as core::ops::Drop>::drop",
		"<alloc::vec::Vec<T> as core::ops::Drop>::drop");
	check("core::ptr::drop_in_place", "core::ptr::drop_in_place");
	check("", "");
}

static void brackets_that_do_not_match(void **state)
{
	check("f<int", "f<...>");
	check("count.<locals>.<genexpr>", "count.<locals>.<genexpr>");
	check("f.<locals>", "f.<locals>");
	check("f.<lo", "f.<...>");
	check("f(int", "f");
	check("f>", "f>");
	check("f)(", "f)");
}

TEST_MAIN("short-name")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(templates_and_parameters),
		cmocka_unit_test(lambdas_and_anonymous_namespaces),
		cmocka_unit_test(operators),
		cmocka_unit_test(receivers_and_shapes_of_go),
		cmocka_unit_test(what_stays),
		cmocka_unit_test(brackets_that_do_not_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
