/* Every mangling, what is none, and names that stand for more text than any machine has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elfsym/elf/demangle.h"
#include "tests/unit/check.h"

static void check(const char *linkage, const char *expected)
{
	char *plain = sprof_demangle(linkage);

	if (expected) {
		assert_non_null(plain);
		assert_string_equal(plain, expected);
	} else {
		assert_null(plain);
	}
	free(plain);
}

static void test_languages(void **state)
{
	check("_ZN3foo3barEi", "foo::bar(int)");
	check("_ZNSt6vectorIiSaIiEE9push_backERKi",
		"std::vector<int, std::allocator<int> >::push_back(int const&)");
	check("_ZN1A1fEv.part.0", "A::f() [clone .part.0]");
	check("_ZN4core3fmt5write17h0123456789abcdefE", "core::fmt::write");
	check("_RNvCs1234_7mycrate3foo", "mycrate::foo");
	check("_D3std5stdio7writelnFZv", "std.stdio.writeln()");
	check("_DThn16_4core4sync5mutex5Mutex4lockMFNeZv",
		"non-virtual thunk to core.sync.mutex.Mutex.lock()");
	check("_DTi16_D3gcc9backtrace12LibBacktrace8toStringMxFZAya",
		"non-virtual thunk to gcc.backtrace.LibBacktrace.toString() const");
	check("_D3std5stdio7writelnFZv.constprop.0", "std.stdio.writeln() [clone .constprop.0]");
	check("_D3std5stdio7writelnFZv.isra.0.lto_priv.1",
		"std.stdio.writeln() [clone .isra.0.lto_priv.1]");
	check("_Dont.constprop.0", NULL);
	check("_DTi16", NULL);
	check("_DThn16_none", NULL);
}

/* Emacs's native code: the bytes of the Lisp name, then its letters. */
static void test_lisp(void **state)
{
	check("F666f6f2d626172_foo_bar_0", "foo-bar");
	check("F616e6f6e796d6f75732d6c616d626461_anonymous_lambda_12", "anonymous-lambda");
	check("F636c2d2d733c3f_cl__s_1", "cl--s<?");
	check("F582d61_X_a_0", "X-a");
	check("F582d61__a_0", "X-a");
	check("F666f6f_bar_0", NULL);
	check("F666f6f_foo_", NULL);
	check("F666f6f_foo_x", NULL);
	check("F00__0", NULL);
	check("Faced_in_0", NULL);
	check("F_x", NULL);
	assert_false(sprof_is_mangled("Fade_in"));
}

/* In UTF-8, as the source has them. */
static void test_names_beyond_ascii(void **state)
{
	check("_ZN7größe1fEi", "größe::f(int)");
	check("_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
		"utf8_idents::საჭმელად_გემრიელი_სადილი");
	check("_ZN1r13gr$uf6$$udf$e4Wert17h0123456789abcdefE", "r::größe::Wert");
	check("_ZN1r9$u4e2d$_x17h0123456789abcdefE", "r::中_x");
	check("_ZN1r10$u1f600$_x17h0123456789abcdefE", "r::😀_x");
	check("_ZN1r11$ud800$_$u$17h0123456789abcdefE", "r::$ud800$_$u$");
}

static void test_parts(void **state)
{
	static const struct {
		const char *name;
		size_t owner;
	} rows[] = {{"work.cold", 4}, {"work.cold.12", 4}, {"work.__part.3", 4},
		{"work.isra.0.cold", 11}, {"work", 4}, {"work.coldest", 12}, {"work.cold.", 10},
		{"work.part.0", 11}, {".cold", 5}, {"", 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(sprof_part_owner_length(rows[i].name), rows[i].owner);
}

static void test_rust(void **state)
{
	static const char old[] = "_ZN1m1f17h0123456789abcdefE", plain[] = "m::f";
	static const struct {
		const char *name;
		size_t length;
	} rows[] = {{old, 27}, {"_ZN1m1f17h0123456789abcdefE.llvm.3", 27},
		{"_ZN6_$LT$..17h0123456789abcdefE", 31}, {"_ZN1m1f17h0123456789abcdeE", 0},
		{"_ZN1m1f17h0123456789abcdefEi", 0}, {"_RNvCs1_1f.cold", 10}, {"f", 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(sprof_rust_length(rows[i].name), rows[i].length);
	assert_string_equal(sprof_rust_arguments(old, plain, "f<u32>"), "<u32>");
	assert_null(sprof_rust_arguments(old, plain, "f"));
	assert_null(sprof_rust_arguments(old, plain, NULL));
	assert_null(sprof_rust_arguments(old, old, "f<u32>"));
	assert_null(sprof_rust_arguments(old, "m::f<u32>", "f<u32>"));
	assert_null(sprof_rust_arguments("_RINvCs0_1m1fhE", "m::f::<u8>x", "f<u8>"));
	assert_null(sprof_rust_arguments("_Z1fIiEvv", "void f<int>()", "f<int>"));
}

static void test_not_mangled(void **state)
{
	check("", NULL);
	check("_", NULL);
	check("_Z", NULL);
	check("_Z3fo", NULL);
	check("_R", NULL);
	check("_D", NULL);
	check("main", NULL);
	check("_start", NULL);
	check("_Dont", NULL);
}

static void test_long_but_honest(void **state)
{
	char name[4096] = "_Z1f";
	char *plain;

	for (int i = 0; i < 500; i++)
		strcat(name, "3foo");
	plain = sprof_demangle(name);
	assert_non_null(plain);
	assert_int_equal(strncmp(plain, "f(foo, foo", 10), 0);
	free(plain);
}

/* A name that is not mangled has an end, too. */
static void check_longest(void)
{
	char name[9100] = "_Z8191";

	memset(name + strlen(name), 'a', 8191);
	strcat(name, "v");
	check(name, NULL);
}

/* pair<T, T> of the type before, 30 times: a few hundred bytes for 2^30 ints. */
static void test_exponential(void **state)
{
	char name[1024] = "_Z1fSt4pairIiiE";
	size_t length = strlen(name);

	for (int i = 0; i < 30; i++) {
		char digit = (char)(i < 10 ? '0' + i : 'A' + i - 10);

		length += (size_t)snprintf(
			name + length, sizeof(name) - length, "S_IS%c_S%c_E", digit, digit);
	}
	check(name, NULL);
	check_longest();
}

/* The same for D: each function type takes the one before twice. */
static void test_exponential_d(void **state)
{
	char name[1024] = "_D1fFZv";

	memset(name + strlen(name), 'Q', 200);
	check(name, NULL);
	check("_D4main24QQQQQQQQQQQQQQQQQQQQQQQQFZv", "main.QQQQQQQQQQQQQQQQQQQQQQQQ()");
	check("_D4main25QQQQQQQQQQQQQQQQQQQQQQQQQFZv", NULL);
}

static void test_deep(void **state)
{
	static const char *const units[] = {"P", "N1a", "1aI", "F", "M1a", "Q", "DpT", "C3"};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		static char name[10000];

		strcpy(name, "_Z1f");
		while (strlen(name) < 8000)
			strcat(name, units[i]);
		free(sprof_demangle(name));
		name[1] = 'R';
		free(sprof_demangle(name));
		name[1] = 'D';
		free(sprof_demangle(name));
	}
}

static void test_random(void **state)
{
	static const char alphabet[] = "_ZNRDSTIECvimkhPQKRFM0123456789abstELEJDpDtlx";
	char name[64] = "_";

	srandom(1);
	for (int round = 0; round < 20000; round++) {
		size_t length = 2 + (size_t)random() % (sizeof(name) - 3);

		name[1] = "ZRD"[random() % 3];
		for (size_t i = 2; i < length; i++)
			name[i] = alphabet[(size_t)random() % (sizeof(alphabet) - 1)];
		name[length] = '\0';
		free(sprof_demangle(name));
	}
}

TEST_MAIN("demangle")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_languages),
		cmocka_unit_test(test_lisp),
		cmocka_unit_test(test_names_beyond_ascii),
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_rust),
		cmocka_unit_test(test_not_mangled),
		cmocka_unit_test(test_long_but_honest),
		cmocka_unit_test(test_exponential),
		cmocka_unit_test(test_exponential_d),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
