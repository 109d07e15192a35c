/* profile/identity: which functions are one. */
#include "profile/identity/identity.h"

#include <stdio.h>
#include <string.h>

#include "profile/model/build.h"
#include "profile/names/resolve.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

enum { AT_MOST = 4, GONE = -1 };

/* A build's functions; they are in one module, but where they name another one. */
struct built {
	const char *path, *build_id;
	struct {
		const char *name, *linkage, *file;
		uint32_t line;
	} functions[AT_MOST];
};

static struct sprof_profile *make(const struct built *built)
{
	struct sprof_profile *profile = sprof_build_create();
	uint32_t module, id;

	assert_true(sprof_build_module(profile, built->path, built->build_id, &module));
	for (size_t i = 0; i < AT_MOST && built->functions[i].name; i++) {
		const struct sprof_profile_function function = {
			.name = built->functions[i].name,
			.linkage = built->functions[i].linkage,
			.file = built->functions[i].file,
			.line = built->functions[i].line,
			.module = module,
			.unresolved = strchr(built->functions[i].name, '+'),
		};

		assert_true(sprof_build_function(profile, &function, &id));
		assert_int_equal(id, i);
	}
	return profile;
}

static const struct {
	const char *what;
	struct built old, new;
	int same[AT_MOST];
} builds[] = {
	{"another build", {"/p/app", "1", {{"f", NULL, "/s/a.c", 3}}},
		{"/p/app", "2", {{"f", NULL, "/s/a.c", 9}}}, {0}},
	{"another folder and file", {"/p/app", "1", {{"f", NULL, "/s/a.c", 3}}},
		{"/q/app", "2", {{"f", NULL, "/t/b.c", 9}}}, {0}},
	{"another program's name", {"/p/gcc-app", "1", {{"f", NULL, "/s/a.c", 3}}},
		{"/p/clang-app", "2", {{"f", NULL, "/s/a.c", 3}}}, {0}},
	{"a constructor", {"/p/app", "1", {{"A::A()", "_ZN1AC4Ev", "/s/a.cc", 3}}},
		{"/p/app", "2", {{"A::A()", "_ZN1AC1Ev", NULL, 0}}}, {0}},
	{"destructors", {"/p/app", "1", {{"A::~A()", "_ZN1AD2Ev", "/s/a.cc", 3}}},
		{"/p/app", "2",
			{{"A::~A()", "_ZN1AD0Ev", NULL, 0}, {"A::~A()", "_ZN1AD1Ev", NULL, 0}}},
		{0, 0}},
	{"units of a symbol table",
		{"/p/app", "1", {{"f", NULL, "/s/a.c", 3}, {"f", NULL, "/s/b.c", 7}}},
		{"/p/app", "2", {{"f", NULL, "b.c", 0}, {"f", NULL, "a.c", 0}}}, {1, 0}},
	{"units of one name",
		{"/p/app", "1", {{"f", NULL, "a.c (1)", 0}, {"f", NULL, "a.c (2)", 0}}},
		{"/p/app", "2", {{"f", NULL, "a.c (1)", 0}, {"f", NULL, "a.c (2)", 0}}},
		{GONE, GONE}},
	{"places of a symbol table",
		{"/p/app", "1", {{"f", NULL, "0x10", 0}, {"f", NULL, "0x20", 0}}},
		{"/p/app", "2", {{"f", NULL, "0x10", 0}, {"f", NULL, "0x20", 0}}}, {GONE, GONE}},
	{"one build, named without its debug information",
		{"/p/app", "1",
			{{"f", NULL, "/s/a.c", 3}, {"g", NULL, "/s/a.c", 7},
				{"g", NULL, "/s/b.c", 8}}},
		{"/p/app", "1",
			{{"f", NULL, NULL, 0}, {"g", NULL, "b.c", 0}, {"g", NULL, "a.c", 0}}},
		{0, 2, 1}},
	{"one build, and other functions of one name", {"/p/app", "1", {{"f", NULL, "/s/a.c", 3}}},
		{"/p/app", "1", {{"f", NULL, "/s/b.c", 3}}}, {GONE}},
	{"units of one name in one build",
		{"/p/app", "1", {{"f", NULL, "a.c (1)", 0}, {"f", NULL, "a.c (2)", 0}}},
		{"/p/app", "1", {{"f", NULL, "a.c (2)", 0}, {"f", NULL, "a.c (1)", 0}}}, {1, 0}},
	{"a renamed function", {"/p/app", "1", {{"f", NULL, "/s/a.c", 3}}},
		{"/p/app", "2", {{"g", NULL, "/s/a.c", 3}}}, {GONE}},
	{"statics of one name",
		{"/p/app", "1", {{"f", NULL, "/s/a.c", 3}, {"f", NULL, "/s/b.c", 3}}},
		{"/p/app", "2", {{"f", NULL, "/t/b.c", 5}, {"f", NULL, "/t/a.c", 5}}}, {1, 0}},
	{"a static that is new", {"/p/app", "1", {{"f", NULL, "/s/a.c", 3}}},
		{"/p/app", "2", {{"f", NULL, "/s/b.c", 3}, {"f", NULL, "/s/a.c", 3}}}, {GONE, 0}},
	{"files that tell nothing", {"/p/app", "1", {{"f", NULL, "/s/a.c", 3}}},
		{"/p/app", "2", {{"f", NULL, "/s/b.c", 3}, {"f", NULL, "/s/c.c", 3}}},
		{GONE, GONE}},
	{"folders of one file name",
		{"/p/app", "1", {{"f", NULL, "/s/x/a.c", 3}, {"f", NULL, "/s/y/a.c", 3}}},
		{"/p/app", "2", {{"f", NULL, "/t/y/a.c", 3}, {"f", NULL, "/t/x/a.c", 3}}}, {1, 0}},
	{"copies", {"/p/app", "1", {{"f.isra.0", NULL, NULL, 0}}},
		{"/p/app", "2",
			{{"f", NULL, NULL, 0}, {"f.constprop.0.cold", NULL, NULL, 0},
				{"f.coldest", NULL, NULL, 0}}},
		{0, 0, GONE}},
	{"ThinLTO", {"/p/app", "1", {{"f.llvm.11", NULL, NULL, 0}}},
		{"/p/app", "2", {{"f.__uniq.5.llvm.22", NULL, NULL, 0}}}, {0}},
	{"a local that Clang made unique", {"/p/app", "1", {{"f.12", NULL, NULL, 0}}},
		{"/p/app", "2", {{"f", NULL, NULL, 0}}}, {0}},
	{"copies of a nested function, and of a local that Clang made unique",
		{"/p/app", "1", {{"f.0", NULL, NULL, 0}, {"work", NULL, NULL, 0}}},
		{"/p/app", "2",
			{{"f.0.constprop.0", NULL, NULL, 0}, {"f.0.cold", NULL, NULL, 0},
				{"work.5.cold", NULL, NULL, 0}}},
		{0, 0, 1}},
	{"Go's numbers", {"/p/app", "1", {{"main.f.func1.1", NULL, NULL, 0}}},
		{"/p/app", "2", {{"main.f.func1.2", NULL, NULL, 0}}}, {GONE}},
	{"locals that were made unique",
		{"/p/app", "1", {{"f.lto_priv.0", NULL, NULL, 0}, {"f.lto_priv.1", NULL, NULL, 0}}},
		{"/p/app", "2", {{"f.lto_priv.7", NULL, NULL, 0}}}, {GONE}},
	{"classes without a name, after a line was added",
		{"/p/app", "1",
			{{"f::{unnamed at 5:9}::operator()", NULL, "/s/a.cc", 5},
				{"f::{unnamed at 8:9}::operator()", NULL, "/s/a.cc", 8}}},
		{"/p/app", "2",
			{{"f::{unnamed at 9:9}::operator()", NULL, "/s/a.cc", 9},
				{"f::{unnamed at 6:9}::operator()", NULL, "/s/a.cc", 6}}},
		{1, 0}},
	{"Rust's hash", {"/p/app", "1", {{"m::f", "_ZN1m1f17h0123456789abcdefE", "/s/a.rs", 3}}},
		{"/p/app", "2", {{"m::f", "_ZN1m1f17hfedcba9876543210E", "/s/a.rs", 4}}}, {0}},
	{"closures, in their order",
		{"/p/app", "1",
			{{"f::c", "_ZN1f1c17h0123456789abcdefE", "/s/a.rs", 3},
				{"f::c", "_ZN1f1c17h1123456789abcdefE", "/s/a.rs", 8}}},
		{"/p/app", "2",
			{{"f::c", "_ZN1f1c17h2123456789abcdefE", "/s/a.rs", 10},
				{"f::c", "_ZN1f1c17h3123456789abcdefE", "/s/a.rs", 5}}},
		{1, 0}},
	{"closures, of which other ones have samples",
		{"/p/app", "1",
			{{"f::c", "_ZN1f1c17h0123456789abcdefE", "/s/a.rs", 3},
				{"f::c", "_ZN1f1c17h1123456789abcdefE", "/s/a.rs", 8}}},
		{"/p/app", "2",
			{{"f::c", "_ZN1f1c17h2123456789abcdefE", "/s/a.rs", 8},
				{"f::c", "_ZN1f1c17h3123456789abcdefE", "/s/a.rs", 15}}},
		{1, GONE}},
	{"closures, of which only the last ones have moved",
		{"/p/app", "1",
			{{"f::c", "_ZN1f1c17h0123456789abcdefE", "/s/a.rs", 3},
				{"f::c", "_ZN1f1c17h1123456789abcdefE", "/s/a.rs", 8},
				{"f::c", "_ZN1f1c17h2123456789abcdefE", "/s/a.rs", 20}}},
		{"/p/app", "2",
			{{"f::c", "_ZN1f1c17h4123456789abcdefE", "/s/a.rs", 3},
				{"f::c", "_ZN1f1c17h5123456789abcdefE", "/s/a.rs", 13},
				{"f::c", "_ZN1f1c17h6123456789abcdefE", "/s/a.rs", 25}}},
		{0, 1, 2}},
	{"closures, moved by as much as they are apart",
		{"/p/app", "1",
			{{"f::c", "_ZN1f1c17h0123456789abcdefE", "/s/a.rs", 3},
				{"f::c", "_ZN1f1c17h1123456789abcdefE", "/s/a.rs", 8}}},
		{"/p/app", "2",
			{{"f::c", "_ZN1f1c17h4123456789abcdefE", "/s/a.rs", 8},
				{"f::c", "_ZN1f1c17h5123456789abcdefE", "/s/a.rs", 13}}},
		{GONE, GONE}},
	{"closures, one of them new",
		{"/p/app", "1",
			{{"f::c", "_ZN1f1c17h0123456789abcdefE", "/s/a.rs", 3},
				{"f::c", "_ZN1f1c17h1123456789abcdefE", "/s/a.rs", 8},
				{"f::c", "_ZN1f1c17h2123456789abcdefE", "/s/a.rs", 20}}},
		{"/p/app", "2",
			{{"f::c", "_ZN1f1c17h4123456789abcdefE", "/s/a.rs", 3},
				{"f::c", "_ZN1f1c17h5123456789abcdefE", "/s/a.rs", 5},
				{"f::c", "_ZN1f1c17h6123456789abcdefE", "/s/a.rs", 9},
				{"f::c", "_ZN1f1c17h7123456789abcdefE", "/s/a.rs", 20}}},
		{0, GONE, GONE, 2}},
	{"Rust's hash behind dots",
		{"/p/app", "1",
			{{"<m::A as m::B>::f",
				"_ZN20_$LT$m..A$u20$as$u20$m..B$GT$1f17h0123456789abcdefE",
				"/s/a.rs", 3}}},
		{"/p/app", "2",
			{{"<m::A as m::B>::f",
				"_ZN20_$LT$m..A$u20$as$u20$m..B$GT$1f17hfedcba9876543210E.llvm.7",
				"/s/a.rs", 4}}},
		{0}},
	{"names that a bracket begins and none ends",
		{"/p/app", "1",
			{{"<", "_ZN1m1f17h0123456789abcdefE", NULL, 0},
				{"<abc", "_ZN1m1g17h0123456789abcdefE", NULL, 0}}},
		{"/p/app", "2",
			{{"<abd", "_ZN1m1g17h1123456789abcdefE", NULL, 0},
				{"<", "_ZN1m1f17h1123456789abcdefE", NULL, 0}}},
		{GONE, 0}},
	{"Rust's instances, by their hashes",
		{"/p/app", "1",
			{{"m::f", "_ZN1m1f17h0123456789abcdefE", NULL, 0},
				{"m::f", "_ZN1m1f17h1123456789abcdefE", NULL, 0}}},
		{"/p/app", "2",
			{{"m::f", "_ZN1m1f17h1123456789abcdefE", NULL, 0},
				{"m::f", "_ZN1m1f17h0123456789abcdefE.llvm.3", NULL, 0}}},
		{1, 0}},
	{"Rust's instances, the last of another hash",
		{"/p/app", "1",
			{{"m::f", "_ZN1m1f17h0123456789abcdefE", NULL, 0},
				{"m::f", "_ZN1m1f17h1123456789abcdefE", NULL, 0}}},
		{"/p/app", "2",
			{{"m::f", "_ZN1m1f17h2123456789abcdefE", NULL, 0},
				{"m::f", "_ZN1m1f17h0123456789abcdefE", NULL, 0}}},
		{1, 0}},
	{"Rust's instances, by their types",
		{"/p/app", "1",
			{{"m::f<u8>", "_ZN1m1f17h0123456789abcdefE", "/s/a.rs", 3},
				{"m::f<u64>", "_ZN1m1f17h1123456789abcdefE", "/s/a.rs", 3}}},
		{"/p/app", "2",
			{{"m::f::<u64>", "_RINvCs0_1m1fyE", "/s/a.rs", 4},
				{"m::f::<u16>", "_RINvCs0_1m1ftE", "/s/a.rs", 4},
				{"m::f::<u8>", "_RINvCs0_1m1fhE", "/s/a.rs", 4}}},
		{1, GONE, 0}},
	{"another instance", {"/p/app", "1", {{"m::f::<u8>", "_RINvCs0_1m1fhE", "/s/a.rs", 3}}},
		{"/p/app", "2", {{"m::f::<u64>", "_RINvCs0_1m1fyE", "/s/a.rs", 3}}}, {GONE}},
	{"Rust's two manglings",
		{"/p/app", "1",
			{{"m::V<T>::f", "_ZN1m1f17h0123456789abcdefE", NULL, 0},
				{"<m::V<T> as m::W<T>>::g", "_ZN1m1g17h0123456789abcdefE", NULL, 0},
				{"m::{{closure}}", "_ZN1m1h17h0123456789abcdefE", NULL, 0},
				{"m::i", "_ZN1m1i17h0123456789abcdefE", NULL, 0}}},
		{"/p/app", "2",
			{{"<m::V<fn(u8) -> u8>>::f", "_RNvMCs0_1f", NULL, 0},
				{"<m::V<u8> as m::W<u8>>::g", "_RNvMCs0_1g", NULL, 0},
				{"m::{closure#0}", "_RNCNvCs0_1h", NULL, 0},
				{"m::i::<u8>", "_RNvMCs0_1i", NULL, 0}}},
		{0, 1, 2, 3}},
	{"instances of which one side lacks the types",
		{"/p/app", "1", {{"m::f", "_ZN1m1f17h0123456789abcdefE", "/s/a.rs", 3}}},
		{"/p/app", "2",
			{{"m::f::<u64>", "_RINvCs0_1m1fyE", "/s/a.rs", 3},
				{"m::f::<u16>", "_RINvCs0_1m1ftE", "/s/a.rs", 3}}},
		{0, 0}},
	{"instances without a common hash",
		{"/p/app", "1",
			{{"m::f", "_ZN1m1f17h0123456789abcdefE", NULL, 0},
				{"m::f", "_ZN1m1f17h1123456789abcdefE", NULL, 0}}},
		{"/p/app", "2",
			{{"m::f<u8>", "_ZN1m1f17h2123456789abcdefE", "/s/a.rs", 3},
				{"m::f<u16>", "_ZN1m1f17h3123456789abcdefE", "/s/a.rs", 3},
				{"m::f<u32>", "_ZN1m1f17h4123456789abcdefE", "/s/a.rs", 3}}},
		{0, 0, 0}},
	{"instances of the new mangling, against the old one without types",
		{"/p/app", "1",
			{{"m::f::<u8>", "_RINvCs0_1m1fhE", NULL, 0},
				{"m::f::<u64>", "_RINvCs0_1m1fyE", NULL, 0}}},
		{"/p/app", "2",
			{{"m::f", "_ZN1m1f17h0123456789abcdefE", NULL, 0},
				{"m::f", "_ZN1m1f17h1123456789abcdefE", NULL, 0}}},
		{0, 0}},
	{"the last instances, of known types",
		{"/p/app", "1",
			{{"m::f<u8>", "_ZN1m1f17h0123456789abcdefE", "/s/a.rs", 3},
				{"m::f<u16>", "_ZN1m1f17h1123456789abcdefE", "/s/a.rs", 3}}},
		{"/p/app", "2",
			{{"m::f::<u8>", "_RINvCs0_1m1fhE", "/s/a.rs", 3},
				{"m::f::<u64>", "_RINvCs0_1m1fyE", "/s/a.rs", 3}}},
		{0, GONE}},
	{"addresses", {"/p/app", "1", {{"app+0x10", NULL, NULL, 0}}},
		{"/p/app", "2", {{"app+0x10", NULL, NULL, 0}}}, {GONE}},
	{"libraries of two versions", {"/l/libz.so.1.2", "1", {{"f", NULL, NULL, 0}}},
		{"/l/libz.so.1.3", "2", {{"f", NULL, NULL, 0}}}, {0}},
	{"libraries with the version before the ending",
		{"/l/libpython3.11.so.1.0", "1", {{"f", NULL, NULL, 0}}},
		{"/l/libpython3.12.so.1.0", "2", {{"f", NULL, NULL, 0}}}, {0}},
	{"one build, another static", {"/p/app", "1", {{"f", NULL, "/s/a.c", 3}}},
		{"/p/app", "1", {{"f", NULL, "/s/b.c", 3}}}, {GONE}},
};

/* The new build's functions in the old one's order, or GONE. */
static void across_builds(void **state)
{
	for (size_t i = 0; i < sizeof(builds) / sizeof(builds[0]); i++) {
		struct sprof_profile *old = make(&builds[i].old), *new = make(&builds[i].new);
		struct sprof_identity identity;

		assert_true(sprof_identity_match(&identity, old, new, SPROF_IDENTITY_COMPARE));
		for (size_t k = 0; k < new->function_count; k++) {
			if ((int)identity.functions[k] != builds[i].same[k])
				fail_msg("%s: function %zu is %d", builds[i].what, k,
					(int)identity.functions[k]);
		}
		sprof_identity_finish(&identity);
		sprof_profile_destroy(old);
		sprof_profile_destroy(new);
	}
}

/* Instances of an earlier run become one if a later run can't tell them apart; a merge guesses nothing. */
static void instances_of_the_target(void **state)
{
	const struct built typed = {"/p/app", "1",
		{{"m::f::<u8>", "_RINvCs0_1m1fhE", NULL, 0},
			{"m::f::<u64>", "_RINvCs0_1m1fyE", NULL, 0},
			{"m::g", "_RNvCs0_1m1g", NULL, 0}}};
	const struct built bare = {
		"/p/app", "2", {{"m::f", "_ZN1m1f17h0123456789abcdefE", NULL, 0}}};
	struct sprof_profile *target = make(&typed), *source = make(&bare);
	struct sprof_identity identity;

	assert_true(sprof_identity_match(&identity, target, source, SPROF_IDENTITY_COMPARE));
	assert_int_equal(identity.target_firsts[0], 0);
	assert_int_equal(identity.target_firsts[1], 0);
	assert_int_equal(identity.target_firsts[2], 2);
	sprof_identity_finish(&identity);
	assert_true(sprof_identity_match(&identity, target, source, SPROF_IDENTITY_MERGE));
	assert_int_equal(identity.functions[0], SPROF_PROFILE_NONE);
	assert_int_equal(identity.target_firsts[1], 1);
	sprof_identity_finish(&identity);
	sprof_profile_destroy(target);
	sprof_profile_destroy(source);
}

/* Long names differ at their ends. */
static void long_names(void **state)
{
	static char names[2][6000];
	struct built one = {"/p/app", "1", {{names[0], names[0], "/s/a.h", 3}}};
	struct built other = {"/p/app", "2", {{names[1], names[1], "/s/a.h", 3}}};
	struct sprof_profile *a, *b;
	struct sprof_identity identity;

	memset(names, 'x', sizeof(names));
	snprintf(names[0] + sizeof(names[0]) - 4, 4, "one");
	snprintf(names[1] + sizeof(names[1]) - 4, 4, "two");
	a = make(&one);
	b = make(&other);
	assert_true(sprof_identity_match(&identity, a, b, SPROF_IDENTITY_COMPARE));
	assert_int_equal(identity.functions[0], SPROF_PROFILE_NONE);
	sprof_identity_finish(&identity);
	sprof_profile_destroy(a);
	sprof_profile_destroy(b);
}

/* A sample in a function, in a line of "/s/a.cc". */
struct sampled {
	const char *name;
	uint32_t begin, line;
};

static struct sprof_profile *sample(const struct sampled *sampled, const char *build_id)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_profile_location location = {0};

	assert_true(sprof_build_module(profile, "/p/app", build_id, &location.frame.module));
	for (size_t i = 0; i < AT_MOST && sampled[i].name; i++) {
		const struct sprof_location place = {.function = sampled[i].name,
			.file = "/s/a.cc",
			.line = sampled[i].line,
			.function_file = "/s/a.cc",
			.function_line = sampled[i].begin};

		location.line_count = 0;
		assert_true(sprof_profile_add_line(profile, &location, &place, SPROF_MARK_CALLED));
		assert_int_equal(profile->lines[i].function, i);
	}
	return profile;
}

static const struct {
	const char *what;
	struct sampled gcc[AT_MOST], clang[AT_MOST];
	int same[AT_MOST];
} lambdas[] = {
	{"in another order",
		{{"main", 3, 9}, {"main::{lambda(int)#1}::operator()(int) const", 0, 5},
			{"main::{lambda(int)#2}::operator()(int) const [clone .constprop.0]", 0,
				7}},
		{{"main", 3, 9}, {"main::$_1::operator()(int) const", 7, 7},
			{"main::$_0::operator()(int) const", 5, 5}},
		{0, 2, 1}},
	{"templates",
		{{"main", 3, 9},
			{"auto main::{lambda(auto:1)#1}::operator()<int>(int) const", 0, 5}},
		{{"main", 3, 9}, {"auto main::$_4::operator()<int>(int) const", 5, 5}}, {0, 1}},
	{"no common line", {{"main", 3, 9}, {"main::{lambda()#1}::operator()() const", 0, 5}},
		{{"main", 3, 9}, {"main::$_0::operator()() const", 5, 6}}, {0, GONE}},
	{"the function around has moved",
		{{"main", 3, 9}, {"main::{lambda()#1}::operator()() const", 0, 5}},
		{{"main", 4, 9}, {"main::$_0::operator()() const", 5, 5}}, {0, GONE}},
	{"two in one line",
		{{"main", 3, 9}, {"main::{lambda()#1}::operator()() const", 0, 5},
			{"main::{lambda()#2}::operator()() const", 0, 5}},
		{{"main", 3, 9}, {"main::$_0::operator()() const", 5, 5}}, {0, GONE}},
	{"outside of functions",
		{{"net::size::{lambda(int)#1}::operator()(int) const", 5, 6},
			{"size::{lambda(int)#1}::operator()(int) const", 8, 9}},
		{{"$_0::operator()(int) const", 8, 9}, {"net::$_0::operator()(int) const", 5, 6}},
		{1, 0}},
	{"outside of functions, moved", {{"size::{lambda()#1}::operator()() const", 8, 9}},
		{{"$_0::operator()() const", 9, 9}}, {GONE}},
	{"what takes one",
		{{"main", 3, 9}, {"void call<main::{lambda()#1}>(main::{lambda()#1})", 1, 2}},
		{{"main", 3, 9}, {"void call<main::$_0>(main::$_0)", 1, 2}}, {0, GONE}},
};

static void lambdas_of_two_compilers(void **state)
{
	for (size_t i = 0; i < sizeof(lambdas) / sizeof(lambdas[0]); i++) {
		struct sprof_profile *gcc = sample(lambdas[i].gcc, "1"),
				     *clang = sample(lambdas[i].clang, "2");
		struct sprof_identity identity;

		assert_true(sprof_identity_match(&identity, gcc, clang, SPROF_IDENTITY_COMPARE));
		for (size_t k = 0; k < clang->function_count; k++) {
			if ((int)identity.functions[k] != lambdas[i].same[k])
				fail_msg("%s: function %zu is %d", lambdas[i].what, k,
					(int)identity.functions[k]);
		}
		sprof_identity_finish(&identity);
		sprof_profile_destroy(gcc);
		sprof_profile_destroy(clang);
	}
}

/* A merge of two programs doesn't mix what they call the same. */
static void programs_stay_two(void **state)
{
	const struct built one = {"/p/ls", "1", {{"main", NULL, "/s/ls.c", 3}}};
	const struct built other = {"/p/cat", "2", {{"main", NULL, "/s/cat.c", 3}}};
	struct sprof_profile *a = make(&one), *b = make(&other);
	struct sprof_identity identity;

	assert_true(sprof_identity_match(&identity, a, b, SPROF_IDENTITY_MERGE));
	assert_int_equal(identity.functions[0], SPROF_PROFILE_NONE);
	sprof_identity_finish(&identity);
	sprof_profile_destroy(a);
	sprof_profile_destroy(b);
}

static void roles(void **state)
{
	static const char *const rows[][2] = {
		{"/usr/lib/libc.so.6", "libc.so"},
		{"/usr/lib/libc-2.31.so", "libc.so"},
		{"/usr/lib/libpython3.11.so.1.0", "libpython.so"},
		{"/usr/bin/python3.11", "python"},
		{"/l/libx264.so.164", "libx264.so"},
		{"/l/libfoo-1.2.so", "libfoo.so"},
		{"/l/mod_http2.so", "mod_http2.so"},
		{"/l/md5.so", "md5.so"},
		{"/b/bzip2", "bzip2"},
		{"/b/gcc-12", "gcc"},
		{"/l/libpcre2-8.so.0.11.2", "libpcre2-8.so"},
		{"/b/prog-1.2.3", "prog"},
		{"/b/prog_v2", "prog"},
		{"/b/prog", "prog"},
		{"/b/42", "42"},
		{"[vdso]", "[vdso]"},
	};
	char role[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		sprof_identity_role(rows[i][0], role, sizeof(role));
		assert_string_equal(role, rows[i][1]);
	}
}

static void constructors_and_destructors(void **state)
{
	static const char *const rows[][2] = {
		{"_ZN8tinyxml27XMLNodeC2EPNS_11XMLDocumentE",
			"_ZN8tinyxml27XMLNodeC_EPNS_11XMLDocumentE"},
		{"_ZN8tinyxml27XMLNodeD0Ev", "_ZN8tinyxml27XMLNodeD_Ev"},
		{"_ZN1AILi5EED4Ev", "_ZN1AILi5EED_Ev"},
		{"_ZNSt6vectorIiSaIiEEC1ERKS1_", "_ZNSt6vectorIiSaIiEEC_ERKS1_"},
		{"_ZN2C1C1ES5_T2_", "_ZN2C1C_ES5_T2_"},
		{"_ZN2D03runEv", "_ZN2D03runEv"},
		{"_ZN999C1Ev", "_ZN999C1Ev"},
		{"C1", "C1"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s", rows[i][0]);
		sprof_identity_unify_structors(name);
		assert_string_equal(name, rows[i][1]);
	}
}

TEST_MAIN("identity")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(across_builds),
		cmocka_unit_test(instances_of_the_target),
		cmocka_unit_test(long_names),
		cmocka_unit_test(lambdas_of_two_compilers),
		cmocka_unit_test(programs_stay_two),
		cmocka_unit_test(roles),
		cmocka_unit_test(constructors_and_destructors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
