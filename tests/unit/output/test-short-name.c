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
	check("a::f(int) [clone .__uniq.12] [clone .llvm.345]", "a::f");
	check("f(int) [clone .llvm.345] [clone .cold]", "f [clone .cold]");
	check("promoted.llvm.345", "promoted");
	check("promoted.llvm.", "promoted.llvm.");
	check(".llvm.345", ".llvm.345");
}

static void lambdas_and_anonymous_namespaces(void **state)
{
	check("shop::(anonymous namespace)::total(int)", "shop::(anonymous namespace)::total");
	check("main::{lambda(int, int)#1}::operator()(int, int) const",
		"main::{lambda#1}::operator()");
	check("f(int)::g", "f::g");
}

static void qualifiers_end_where_a_lambda_begins(void **state)
{
	check("shop::run(int) const::{lambda(int)#1}::operator()(int) const",
		"shop::run::{lambda#1}::operator()");
	check("x::y() const &::z() volatile", "x::y::z");
	check("x::{unnamed type#1}::f(int)", "x::{unnamed type#1}::f");
	check("non-virtual thunk to shop::basket::sum(int)",
		"non-virtual thunk to shop::basket::sum");
	check("std::string name[abi:cxx11](int)", "name[abi:cxx11]");
}

static void owners_of_rust(void **state)
{
	check("<alloc::vec::Vec<T> as core::ops::Drop>::drop", "<Vec as Drop>::drop");
	check("<&mut [a::b::C] as x::y::Z<u8>>::next", "<&mut [C] as Z>::next");
	check("core::fmt::num::<impl core::fmt::Debug for a::b<i32>>::fmt",
		"core::fmt::num::<impl Debug for b>::fmt");
	check("<core::iter::Map<I, app::run::{closure#0}> as core::iter::Iterator>::fold::<()>",
		"<Map as Iterator>::fold::<...>");
	check("<<a::B as c::D>::E as f::G>::h", "<E as G>::h");
	check("core::ptr::drop_in_place::<alloc::string::String>",
		"core::ptr::drop_in_place::<...>");
	check("app::run::{{closure}}::{{closure}}", "app::run::{{closure}}::{{closure}}");
}

static void templates_of_d(void **state)
{
	check("void app.work!(int, long).work(int)", "app.work!(...).work");
}

static void check_as(const char *name, unsigned depth, bool parameters, const char *expected)
{
	char *shortened = sprof_short_name_as(
		name, (struct sprof_short_form){.depth = depth, .parameters = parameters});

	assert_string_equal(shortened, expected);
	free(shortened);
}

/* Types have no paths; their arguments stay to a depth. */
static void forms(void **state)
{
	static const char name[] = "int a::f<std::map<a::b, std::vector<x::y<1> > >::iterator>"
				   "(std::set<c::d> const&, (anonymous namespace)::e) const";

	check_as(name, 0, false, "a::f<...>");
	check_as(name, 1, false, "a::f<iterator>");
	check_as("void g<std::map<a::b, std::vector<x::y<1> > > >()", 1, false, "g<map>");
	check_as(
		"void g<std::map<a::b, std::vector<x::y<1> > > >()", 2, false, "g<map<b, vector>>");
	check_as("void g<std::map<a::b, std::vector<x::y<1> > > >()", 9, false,
		"g<map<b, vector<y<1>>>>");
	check_as(name, 0, true, "a::f<...>(set const&, e) const");
	check_as(name, 9, true, "a::f<iterator>(set<d> const&, e) const");
	check_as("<alloc::vec::Vec<a::T> as core::Drop>::drop", 1, false, "<Vec<T> as Drop>::drop");
	check_as("main::{lambda(std::string)#1}::operator()(std::string) const", 0, true,
		"main::{lambda(string)#1}::operator()(string) const");
}

/* A path right behind an opening bracket goes, and the bracket stays. */
static void paths_behind_brackets(void **state)
{
	check_as("f(void (*)(a::b))", 0, true, "f(void (*)(b))");
	check_as("go<_Sp_counted_ptr<x::t, (__gnu_cxx::_Lock_policy)2> >", 9, false,
		"go<_Sp_counted_ptr<t, (_Lock_policy)2>>");
	check_as("f(std::function<void (a::b<c>::d)>)", 9, true, "f(function<void (d)>)");
	check("<(alloc::string::String, core::net::Ipv4Addr) as core::hash::Hash>::hash",
		"<(String, Ipv4Addr) as Hash>::hash");
	check("<fn(a::B) as c::D>::e", "<fn(B) as D>::e");
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
	check("<module>", "<module>");
	check("JS:*work /app/work.js:3:9", "JS:*work /app/work.js:3:9");
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
		cmocka_unit_test(qualifiers_end_where_a_lambda_begins),
		cmocka_unit_test(owners_of_rust),
		cmocka_unit_test(templates_of_d),
		cmocka_unit_test(forms),
		cmocka_unit_test(paths_behind_brackets),
		cmocka_unit_test(operators),
		cmocka_unit_test(receivers_and_shapes_of_go),
		cmocka_unit_test(what_stays),
		cmocka_unit_test(brackets_that_do_not_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
