/*
 * profile/rename: a saved profile's locations are named anew, each by its own address. The names
 * come from a table here, in place of elfsym/.
 */
#include "profile/names/rename.h"

#include <string.h>

#include "profile/model/build.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"
#include "tests/unit/profile/no-tail-calls.h"

struct sprof_symbols {
	bool has_list; /* of symbols, for every module */
	unsigned calls;
};

/*
 * 0x10-0x1f is known with its source, and has inner() inlined; 0x20-0x2f is known by a symbol; the
 * rest is unknown.
 */
bool sprof_symbols_resolve(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_locations *ret, struct sprof_error *err)
{
	static const struct sprof_location source[] = {{.function = "inner",
							       .linkage = "inner",
							       .file = "a.h",
							       .line = 4,
							       .function_line = 3,
							       .inlined = true},
		{.function = "outer",
			.linkage = "outer",
			.file = "a.c",
			.line = 9,
			.function_line = 8}};
	static const struct sprof_location symbol[] = {{.function = "symbol", .linkage = "symbol"}};
	static const struct sprof_location unknown[] = {
		{.function = "app+0x30", .linkage = "app+0x30", .unresolved = true}};

	symbols->calls++;
	if (offset >= 0x10 && offset < 0x20)
		*ret = (struct sprof_locations){source, 2};
	else if (offset >= 0x20 && offset < 0x30)
		*ret = (struct sprof_locations){symbol, 1};
	else
		*ret = (struct sprof_locations){unknown, 1};
	return true;
}

const char *sprof_symbols_sysmap(
	const struct sprof_symbols *symbols, const struct sprof_module *module)
{
	return symbols->has_list ? "list" : NULL;
}

bool sprof_symbols_explain(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_symbols_gap *ret, struct sprof_error *err)
{
	*ret = (struct sprof_symbols_gap){.why = "stripped", .help = "install it"};
	return true;
}

bool sprof_symbols_find_data(struct sprof_symbols *symbols, uint32_t module, uint64_t distance,
	const char **ret_name, uint64_t *ret_offset, struct sprof_error *err)
{
	*ret_name = NULL;
	return true;
}

/* A row of one sample at this address, whose function has the name and the source file. */
static void add(struct sprof_profile *profile, const char *module, const struct sprof_frame *place,
	const struct sprof_profile_function *named)
{
	const struct sprof_build_thread thread = {.pid = 1, .tid = 1, .name = "t"};
	struct sprof_profile_function function = *named;
	struct sprof_frame frame = *place;
	struct sprof_profile_line line = {0};
	uint32_t location, stack, id;

	assert_true(sprof_build_module(profile, module, "abcd", &frame.module));
	function.module = frame.module;
	assert_true(sprof_build_function(profile, &function, &line.function));
	profile->functions[line.function].unresolved = named->unresolved;
	assert_true(sprof_build_location(profile, &frame, &line, 1, &location));
	assert_true(sprof_profile_push(profile, SPROF_PROFILE_ROOT, location, &stack));
	assert_true(sprof_build_thread(profile, &thread, &id));
	example_add_row(profile, id, stack, &(struct sprof_metrics){.samples = 1});
}

static void add_nameless(struct sprof_profile *profile, uint64_t offset)
{
	add(profile, "/bin/app", &(struct sprof_frame){.offset = offset},
		&(struct sprof_profile_function){.name = "app+0x10", .unresolved = true});
}

/* The names of the first row's lines, "inner;outer", for one row only. */
static void check_names(const struct sprof_profile *profile, const char *want)
{
	char text[128] = "";

	assert_int_equal(profile->row_count, 1);
	for (size_t i = 0; i < profile->line_count; i++) {
		strcat(text, i ? ";" : "");
		strcat(text, profile->functions[profile->lines[i].function].name);
	}
	assert_string_equal(text, want);
}

static void rename_all(struct sprof_profile **profile, struct sprof_symbols *symbols)
{
	struct sprof_error err;

	assert_true(sprof_profile_rename(profile, symbols, &err));
}

static void a_made_up_name_becomes_the_chain(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {0};

	add_nameless(profile, 0x10);
	rename_all(&profile, &symbols);
	check_names(profile, "inner;outer");
	assert_int_equal(profile->lines[0].mark, SPROF_MARK_INLINED);
	assert_int_equal(profile->lines[0].line, 4);
	assert_int_equal(profile->lines[1].mark, SPROF_MARK_CALLED);
	assert_int_equal(profile->lines[1].line, 9);
	assert_string_equal(profile->functions[profile->lines[1].function].file, "a.c");
	assert_int_equal(profile->functions[profile->lines[1].function].line, 8);
	assert_int_equal(profile->quality.frames_unresolved, 0);
	assert_null(profile->module_facts[0].gap_why);
	sprof_profile_destroy(profile);
}

/* One made-up name for two functions comes apart; two for one function come together. */
static void each_address_has_its_own_name(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {0};

	add_nameless(profile, 0x10);
	add_nameless(profile, 0x18);
	add_nameless(profile, 0x20);
	assert_int_equal(profile->function_count, 1);
	rename_all(&profile, &symbols);
	assert_int_equal(profile->function_count, 3);
	assert_int_equal(profile->row_count, 3);
	assert_int_equal(symbols.calls, 3);
	sprof_profile_destroy(profile);
}

/* The byte before a return address is inside the call. */
static void a_return_address_is_looked_up_inside_its_call(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {0};

	add(profile, "/bin/app", &(struct sprof_frame){.offset = 0x20, .is_return = true},
		&(struct sprof_profile_function){.name = "app+0x10", .unresolved = true});
	rename_all(&profile, &symbols);
	check_names(profile, "inner;outer");
	sprof_profile_destroy(profile);
}

static void a_symbol_stays_unless_the_source_is_known(void **state)
{
	const struct sprof_profile_function exported = {.name = "exported"};
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {0};

	add(profile, "/bin/app", &(struct sprof_frame){.offset = 0x20}, &exported);
	rename_all(&profile, &symbols);
	check_names(profile, "exported");
	sprof_profile_destroy(profile);

	profile = sprof_build_create();
	add(profile, "/bin/app", &(struct sprof_frame){.offset = 0x10}, &exported);
	rename_all(&profile, &symbols);
	check_names(profile, "inner;outer");
	sprof_profile_destroy(profile);
}

static void a_list_is_better_than_a_symbol(void **state)
{
	const struct sprof_profile_function exported = {.name = "exported"};
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {.has_list = true};

	add(profile, "/bin/app", &(struct sprof_frame){.offset = 0x20}, &exported);
	rename_all(&profile, &symbols);
	check_names(profile, "symbol");
	sprof_profile_destroy(profile);
}

static void what_has_its_source_is_not_asked_for(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {.has_list = true};

	add(profile, "/bin/app", &(struct sprof_frame){.offset = 0x10},
		&(struct sprof_profile_function){.name = "known", .file = "known.c"});
	rename_all(&profile, &symbols);
	check_names(profile, "known");
	assert_int_equal(symbols.calls, 0);
	sprof_profile_destroy(profile);
}

/* A process's own memory has no file that could come later; a list may be of it. */
static void memory_has_only_lists(void **state)
{
	const struct sprof_profile_function nameless = {.name = "[anon]+0x20", .unresolved = true};
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {0};

	add(profile, "[anon]", &(struct sprof_frame){.offset = 0x20}, &nameless);
	rename_all(&profile, &symbols);
	check_names(profile, "[anon]+0x20");
	symbols.has_list = true;
	rename_all(&profile, &symbols);
	check_names(profile, "symbol");
	sprof_profile_destroy(profile);
}

static void what_stays_nameless_is_explained(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {0};

	add_nameless(profile, 0x300);
	rename_all(&profile, &symbols);
	check_names(profile, "app+0x10");
	assert_int_equal(profile->quality.frames_unresolved, 1);
	assert_string_equal(profile->module_facts[0].gap_why, "stripped");
	assert_string_equal(profile->module_facts[0].gap_help, "install it");
	sprof_profile_destroy(profile);
}

static void renaming_again_changes_nothing(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {0};

	add_nameless(profile, 0x10);
	rename_all(&profile, &symbols);
	rename_all(&profile, &symbols);
	check_names(profile, "inner;outer");
	assert_int_equal(symbols.calls, 1);
	assert_int_equal(profile->rows[0].metrics.samples, 1);
	sprof_profile_destroy(profile);
}

static void an_empty_profile_stays_one(void **state)
{
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_symbols symbols = {0};

	rename_all(&profile, &symbols);
	assert_int_equal(profile->row_count, 0);
	sprof_profile_destroy(profile);
}

/* What elfsym/ needs to find the files: build ids, segments and debug links, by module. */
static void modules_are_described(void **state)
{
	struct sprof_segment segment = {
		.offset = 0x1000, .file_size = 0x200, .address = 0x401000, .executable = true};
	struct sprof_profile *profile = sprof_build_create();
	struct sprof_saved_modules saved;
	uint32_t plain, full;

	assert_true(sprof_build_module(profile, "/bin/plain", NULL, &plain));
	assert_true(sprof_build_module(profile, "/bin/full", "beef", &full));
	profile->module_facts[full].segments = &segment;
	profile->module_facts[full].segment_count = 1;
	profile->module_facts[full].debuglink = "full.debug";
	profile->module_facts[full].debuglink_crc = 7;
	assert_true(sprof_profile_saved_modules(profile, &saved));
	assert_int_equal(saved.count, 2);
	assert_false(saved.trust_paths);
	assert_null(saved.items[plain].build_id);
	assert_int_equal(saved.items[plain].segment_count, 0);
	assert_string_equal(saved.items[full].build_id, "beef");
	assert_string_equal(saved.items[full].debuglink, "full.debug");
	assert_int_equal(saved.items[full].debuglink_crc, 7);
	assert_int_equal(saved.items[full].segment_count, 1);
	assert_int_equal(saved.items[full].segments[0].offset, 0x1000);
	assert_int_equal(saved.items[full].segments[0].address, 0x401000);
	assert_int_equal(saved.items[full].segments[0].file_size, 0x200);
	assert_true(saved.items[full].segments[0].executable);
	sprof_saved_modules_finish(&saved);
	assert_null(saved.items);
	profile->module_facts[full].segments = NULL;
	profile->module_facts[full].segment_count = 0;
	sprof_profile_destroy(profile);
}

TEST_MAIN("rename")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_made_up_name_becomes_the_chain),
		cmocka_unit_test(each_address_has_its_own_name),
		cmocka_unit_test(a_return_address_is_looked_up_inside_its_call),
		cmocka_unit_test(a_symbol_stays_unless_the_source_is_known),
		cmocka_unit_test(a_list_is_better_than_a_symbol),
		cmocka_unit_test(what_has_its_source_is_not_asked_for),
		cmocka_unit_test(memory_has_only_lists),
		cmocka_unit_test(what_stays_nameless_is_explained),
		cmocka_unit_test(renaming_again_changes_nothing),
		cmocka_unit_test(an_empty_profile_stays_one),
		cmocka_unit_test(modules_are_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
