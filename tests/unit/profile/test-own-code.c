/* Whose code a function is, and which one is charged with a stack's time. */
#include "profile/classify/own-code.h"

#include <stdlib.h>
#include <string.h>

#include "profile/classify/own-place.h"
#include "profile/model/build.h"
#include "profile/views/view.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

enum { FRAMES = 8 };

static const char app[] = "/home/me/app", libc[] = "/usr/lib/x86_64-linux-gnu/libc.so.6",
		  libz[] = "/usr/lib/x86_64-linux-gnu/libz.so.1";

struct expected {
	struct example_function stack[FRAMES]; /* outermost first */
	const char *function, *inner;          /* inner NULL: none */
};

static void check(const struct expected *expected, const struct sprof_own_choice *choice)
{
	struct sprof_profile *profile = sprof_build_create();
	const uint32_t stack = example_stack_in(profile, expected->stack);
	struct sprof_own_place place;
	struct sprof_error err;

	for (size_t i = 0; i < profile->function_count; i++) {
		const char *plus = strstr(profile->functions[i].name, "+0x");

		profile->functions[i].unresolved = plus;
	}
	assert_true(sprof_own_code_mark(profile, choice, &err));
	place = sprof_own_place_of(profile, stack);
	assert_string_equal(profile->functions[place.function].name, expected->function);
	assert_int_equal(place.inner == SPROF_PROFILE_NONE, !expected->inner);
	if (expected->inner)
		assert_string_equal(profile->functions[place.inner].name, expected->inner);
	sprof_profile_destroy(profile);
}

static void time_is_charged_to_the_programs_own_function(void **state)
{
	static const char source[] = "/home/me/app.cc",
			  header[] = "/usr/include/c++/12/bits/algo.h",
			  rust[] = "/rustc/0123/library/core/src/slice/sort.rs";
	static const struct expected cases[] = {
		{{{"main", app}, {"count", app}, {"__memcmp_avx2", libc}}, "count",
			"__memcmp_avx2"},
		/* the standard library of C++: by its header, or by the name */
		{{{"main", app, source, 1}, {"sortit", app, source, 2},
			 {"void std::sort<int*>(int*, int*)", app, header, 3},
			 {"std::char_traits<char>::compare", app, header, 4}, {"memcmp", libc}},
			"sortit", "void std::sort<int*>(int*, int*)"},
		{{{"main", app}, {"sortit()", app}, {"void std::sort<int*>(int*, int*)", app}},
			"sortit()", "void std::sort<int*>(int*, int*)"},
		{{{"main", app}, {"std::vector<int> mine<int>(int)", app}},
			"std::vector<int> mine<int>(int)", NULL},
		{{{"main", app}, {"(anonymous namespace)::f(int)", app}},
			"(anonymous namespace)::f(int)", NULL},
		/* Rust's */
		{{{"r::main", app, "/home/me/r.rs", 1},
			 {"core::slice::sort::quicksort", app, rust, 2}},
			"r::main", "core::slice::sort::quicksort"},
		{{{"r::fold", app, "/home/me/r.rs", 1},
			 {"<f64 as core::ops::arith::Add>::add", app,
				 "/usr/src/rustc-1.63.0/add.rs", 2}},
			"r::fold", "<f64 as core::ops::arith::Add>::add"},
		/* a static libc has no source files where the program's own code has */
		{{{"main", app, source, 1}, {"work", app, source, 2}, {"memcpy", app}}, "work",
			"memcpy"},
		/* stripped: the exported function that was called */
		{{{"main+0x1", app}, {"app+0x10", app}, {"deflate", libz},
			 {"libz.so+0x57e0", libz}},
			"deflate", NULL},
		{{{"start_thread", libc}, {"deflate", libz}, {"libz.so+0x57e0", libz}}, "deflate",
			NULL},
		{{{"app+0x10", app}, {"BlurImage", "/usr/lib/libMagickCore.so.6"},
			 {"GOMP_parallel", "/usr/lib/libgomp.so.1"},
			 {"libMagickCore.so.6+0x7d0", "/usr/lib/libMagickCore.so.6"}},
			"BlurImage", NULL},
		{{{"start_thread", libc}, {"libz.so+0x57e0", libz}}, "libz.so+0x57e0", NULL},
	};
	static const struct sprof_own_choice found = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], &found);
}

static void time_in_interpreters_is_charged_to_the_script(void **state)
{
	static const char python[] = "/usr/bin/python3.11", script[] = "/home/me/x.py",
			  module[] = "/usr/lib/python3.11/json/encoder.py",
			  made[] = "<__array_function__ internals>",
			  blas[] = "/usr/lib/x86_64-linux-gnu/blas/libblas.so.3",
			  numpy[] = "/home/me/venv/lib/python3.11/site-packages/numpy/core/_m.so";
	static const struct expected cases[] = {
		{{{"main", python}, {"gram", script, script, 3},
			 {"PyNumber_MatrixMultiply", python}, {"array_matmul", numpy},
			 {"dsyrk_", blas}},
			"gram", "array_matmul"},
		{{{"main", python}, {"save", script, script, 3}, {"encode", module, module, 5},
			 {"PyDict_Next", python}},
			"save", "encode"},
		{{{"main", python}, {"encode", module, module, 5}, {"PyDict_Next", python}},
			"encode", NULL},
		{{{"main", python}, {"gram", script, script, 3}, {"dot", made, made, 1},
			 {"array_matmul", numpy}},
			"gram", "dot"},
		{{{"main", "/usr/bin/perl"}, {"Perl_sv_setsv", "/usr/bin/perl"}, {"memcpy", libc}},
			"Perl_sv_setsv", "memcpy"},
		/* stripped: the interpreter's exported function, but not the one that runs all */
		{{{"ruby_run_node", "/usr/lib/libruby-3.1.so.3.1.2"},
			 {"rb_str_concat", "/usr/lib/libruby-3.1.so.3.1.2"},
			 {"libruby-3.1.so.3.1.2+0x10", "/usr/lib/libruby-3.1.so.3.1.2"}},
			"rb_str_concat", NULL},
		{{{"ruby_run_node", "/usr/lib/libruby-3.1.so.3.1.2"},
			 {"libruby-3.1.so.3.1.2+0x10", "/usr/lib/libruby-3.1.so.3.1.2"}},
			"libruby-3.1.so.3.1.2+0x10", NULL},
		/* programs whose names only begin like an interpreter's */
		{{{"main", "/home/me/perlin"}, {"noise()", "/home/me/perlin"},
			 {"std::sort(int*)", "/home/me/perlin"}},
			"noise()", "std::sort(int*)"},
		{{{"main", "/home/me/node_exporter"}, {"collect()", "/home/me/node_exporter"},
			 {"std::sort(int*)", "/home/me/node_exporter"}},
			"collect()", "std::sort(int*)"},
	};
	static const struct sprof_own_choice found = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], &found);
}

static void packages_are_no_code_of_the_program(void **state)
{
	static const char source[] = "/home/me/app.cc";
	static const struct expected cases[] = {
		/* Go */
		{{{"main.work", app, "/home/me/go/src/example.org/x/work.go", 1},
			 {"sort.Ints", app, "/usr/lib/go-1.19/src/sort/sort.go", 2},
			 {"runtime.memmove", app, "/usr/lib/go-1.19/src/runtime/m.s", 3}},
			"main.work", "sort.Ints"},
		{{{"main.work", app, "/home/me/go/src/example.org/x/work.go", 1},
			 {"crypto/sha256.block", app,
				 "/usr/lib/go-1.19/src/crypto/sha256/block_amd64.s", 2}},
			"main.work", "crypto/sha256.block"},
		/* built with -trimpath */
		{{{"main.main", app, "slow/main.go", 1},
			 {"slow/util.Work", app, "slow/util/x.go", 2},
			 {"example.org/y.Join", app, "example.org/y@v1.2.3/join.go", 3},
			 {"strings.Join", app, "strings/builder.go", 4}},
			"slow/util.Work", "example.org/y.Join"},
		{{{"main.main", app, "main.go", 1},
			 {"slow/internal/text.Work", app, "internal/text/x.go", 2},
			 {"internal/bytealg.Count", app, "internal/bytealg/count.go", 3},
			 {"countbody", app, "internal/bytealg/count_amd64.s", 4}},
			"slow/internal/text.Work", "internal/bytealg.Count"},
		/* the Go tools themselves, and code of Go in a folder of another name */
		{{{"cmd/compile/internal/ssa.Compile", app,
			  "/usr/local/go/src/cmd/compile/internal/ssa/compile.go", 1},
			 {"sort.Slice", app, "/opt/toolcache/x64/src/sort/slice.go", 2}},
			"cmd/compile/internal/ssa.Compile", "sort.Slice"},
		/* a site whose name begins like a package of Go */
		{{{"main.main", app, "/home/me/x/main.go", 1},
			 {"go.company.org/x/server.Run", app, "/home/me/x/server/run.go", 2},
			 {"slices.SortFunc[go.company.org/x.T]", app,
				 "/usr/local/go/src/slices/sort.go", 3}},
			"go.company.org/x/server.Run", "slices.SortFunc[go.company.org/x.T]"},
		/* folders that only look like Go's or like a version */
		{{{"main", app, "/home/me@vub.be/app/main.go", 1}}, "main", NULL},
		{{{"main", app, source, 1}, {"fft", app, "/home/me/google/src/fft/fft.s", 2}},
			"fft", NULL},
		/* packages of others, in other folders than the usual ones */
		{{{"r::main", app, "/home/me/r.rs", 1},
			 {"serde::to_string", app,
				 "/usr/local/cargo/registry/src/x/serde-1.0/ser.rs", 2}},
			"r::main", "serde::to_string"},
		{{{"main", app, source, 1},
			 {"_mm_add_ps", app, "/opt/llvm/lib/clang/14/include/xmmintrin.h", 2}},
			"main", "_mm_add_ps"},
		{{{"main", "/usr/bin/node"}, {"JS:*handle /srv/app.js:3", "[jit of node]"},
			 {"JS:*merge /srv/node_modules/lodash/merge.js:9", "[jit of node]"}},
			"JS:*handle /srv/app.js:3",
			"JS:*merge /srv/node_modules/lodash/merge.js:9"},
	};
	static const struct sprof_own_choice found = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check(&cases[i], &found);
}

static void the_user_may_say_otherwise(void **state)
{
	static const struct expected every = {
		{{"main", app}, {"count", app}, {"deflate", libz}, {"__memcpy_avx2", libc}},
		"__memcpy_avx2", NULL};
	static const struct expected zlib = {
		{{"main", app}, {"count", app}, {"deflate", libz}, {"__memcpy_avx2", libc}},
		"deflate", "__memcpy_avx2"};
	static const struct sprof_own_choice all = {.all = true}, own = {.own = "libz"},
					     broken = {.own = "("};
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_error err;

	check(&every, &all);
	check(&zlib, &own);
	assert_false(sprof_own_code_mark(profile, &broken, &err));
	assert_int_equal(err.kind, SPROF_ERROR_USAGE);
	sprof_profile_destroy(profile);
}

/* Paths leave out what the program's own functions call. */
static void paths_have_own_functions_only(void **state)
{
	static const struct example_function stack[] = {{"_start", app}, {"main", app},
		{"count", app}, {"qsort", libc}, {"compare", app}, {"strcmp", libc}, {0}};
	static const char *const names[] = {"main", "count", "compare"};
	const struct sprof_view view = {
		.weight = SPROF_WEIGHT_USER, .thread = SPROF_PROFILE_NONE, .own_code = true};
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_graph graph;
	struct sprof_error err;

	example_add_row(profile, example_thread(profile, "a"), example_stack_in(profile, stack),
		&(struct sprof_metrics){.samples = 1, .times.ns[SPROF_TIME_USER] = 1});
	assert_true(sprof_graph_build(profile, &view, SPROF_GRAPH_CALLER, &graph, &err));
	assert_int_equal(graph.count, 5);
	for (size_t i = 0; i < 3; i++)
		assert_string_equal(profile->functions[graph.nodes[i + 2].function].name, names[i]);
	sprof_graph_finish(&graph);
	sprof_profile_destroy(profile);
}

TEST_MAIN("own-code")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_is_charged_to_the_programs_own_function),
		cmocka_unit_test(time_in_interpreters_is_charged_to_the_script),
		cmocka_unit_test(packages_are_no_code_of_the_program),
		cmocka_unit_test(the_user_may_say_otherwise),
		cmocka_unit_test(paths_have_own_functions_only),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
