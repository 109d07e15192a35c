/*
 * profile/resolve: each location is named once, at the right byte, with its inline chain. The names
 * come from a table here, in place of elfsym/.
 */
#include "profile/names/resolve.h"

#include <stdio.h>
#include <stdlib.h>

#include "profile/model/index.h"
#include "profile/names/gaps.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

struct sprof_symbols {
	unsigned calls;
	uint64_t last_offset;
	const char *const *helps; /* by module; NULL: none has one */
};

/* 0x0-0x9f is f; 0xa0-0xff is g, with h inlined into it; the rest is unknown. */
bool sprof_symbols_resolve(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_locations *ret, struct sprof_error *err)
{
	static const struct sprof_location f[] = {
		{.function = "f", .linkage = "f", .file = "f.c", .line = 5, .function_line = 3}};
	static const struct sprof_location g[] = {{.function = "h(int)",
							  .linkage = "_Z1hi",
							  .file = "h.h",
							  .line = 8,
							  .inlined = true},
		{.function = "g", .linkage = "g", .file = "g.c", .line = 20, .function_line = 18}};
	static const struct sprof_location unknown[] = {
		{.function = "lib+0x100", .linkage = "lib+0x100", .unresolved = true}};

	symbols->calls++;
	symbols->last_offset = offset;
	if (offset < 0xa0)
		*ret = (struct sprof_locations){f, 1};
	else if (offset < 0x100)
		*ret = (struct sprof_locations){g, 2};
	else
		*ret = (struct sprof_locations){unknown, 1};
	return true;
}

/* A call that returns to 0x41 enters h, at 0x80, which makes a tail call to g; to 0x42: unsure. */
bool sprof_symbols_find_tail_calls(struct sprof_symbols *symbols, uint32_t module,
	const struct sprof_call_edge *edge, struct sprof_tail_path *ret, struct sprof_error *err)
{
	*ret = (struct sprof_tail_path){0};
	if (edge->place < 0xa0)
		return true;
	if (edge->behind == 0x42)
		ret->outcome = SPROF_TAIL_PATH_SEVERAL;
	if (edge->behind != 0x41)
		return true;
	ret->steps = calloc(1, sizeof(*ret->steps));
	assert_non_null(ret->steps);
	ret->steps[ret->count++] = (struct sprof_tail_step){.function = 0x80, .place = 0x88};
	ret->outcome = SPROF_TAIL_PATH_ONE;
	return true;
}

bool sprof_symbols_explain(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_symbols_gap *ret, struct sprof_error *err)
{
	*ret = (struct sprof_symbols_gap){.why = "stripped"};
	if (symbols->helps && symbols->helps[module])
		snprintf(ret->help, sizeof(ret->help), "%s", symbols->helps[module]);
	return true;
}

/* Every module has one variable of 16 bytes at 0x4000. */
bool sprof_symbols_find_data(struct sprof_symbols *symbols, uint32_t module, uint64_t distance,
	const char **ret_name, uint64_t *ret_offset, struct sprof_error *err)
{
	*ret_name = distance - 0x4000 < 16 ? "cache_lock" : NULL;
	*ret_offset = distance - 0x4000;
	return true;
}

static const struct sprof_profile_line *name(struct sprof_profile *profile,
	struct sprof_symbols *symbols, struct sprof_frame frame, uint32_t *ret_count)
{
	struct sprof_sink sink = sprof_profile_sink(profile);
	struct sprof_stack_view view = {.frames = &frame, .count = 1};
	const struct sprof_profile_location *location;
	struct sprof_error err;
	uint32_t id;

	assert_true(sink.stack(sink.data, &view, &id));
	assert_true(sprof_profile_resolve(profile, symbols, &err));
	location = &profile->locations[profile->stacks[id].location];
	*ret_count = location->line_count;
	return &profile->lines[location->first_line];
}

static void a_return_address_is_looked_up_inside_its_call(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_symbols symbols = {0};
	uint32_t count;

	name(profile, &symbols, (struct sprof_frame){0xa0, 0, true}, &count);
	assert_int_equal(symbols.last_offset, 0x9f);
	name(profile, &symbols, (struct sprof_frame){0xa0, 0, false}, &count);
	assert_int_equal(symbols.last_offset, 0xa0);
	name(profile, &symbols, (struct sprof_frame){0, 0, true}, &count);
	assert_int_equal(symbols.last_offset, 0);
	sprof_profile_destroy(profile);
}

static void each_location_is_named_once(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_symbols symbols = {0};
	uint32_t count;

	for (int i = 0; i < 3; i++)
		name(profile, &symbols, (struct sprof_frame){0x10, 0, false}, &count);
	name(profile, &symbols, (struct sprof_frame){0x11, 0, false}, &count);
	assert_int_equal(symbols.calls, 2);
	assert_int_equal(profile->function_count, 1);
	assert_string_equal(profile->functions[0].file, "f.c");
	assert_int_equal(profile->functions[0].line, 3);
	sprof_profile_destroy(profile);
}

static void modules_tell_functions_of_one_name_apart(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_symbols symbols = {0};
	uint32_t count, first, second;

	first = name(profile, &symbols, (struct sprof_frame){0x10, 0, false}, &count)->function;
	second = name(profile, &symbols, (struct sprof_frame){0x10, 1, false}, &count)->function;
	assert_int_not_equal(first, second);
	assert_int_equal(profile->functions[second].module, 1);
	assert_ptr_equal(profile->functions[first].name, profile->functions[second].name);
	sprof_profile_destroy(profile);
}

static void inline_chains_are_innermost_first(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_symbols symbols = {0};
	const struct sprof_profile_line *lines;
	uint32_t count;

	lines = name(profile, &symbols, (struct sprof_frame){0xa8, 0, false}, &count);
	assert_int_equal(count, 2);
	assert_string_equal(profile->functions[lines[0].function].name, "h(int)");
	assert_string_equal(profile->functions[lines[0].function].linkage, "_Z1hi");
	assert_int_equal(lines[0].mark, SPROF_MARK_INLINED);
	assert_string_equal(profile->functions[lines[1].function].name, "g");
	assert_int_equal(lines[1].line, 20);
	assert_int_equal(lines[1].mark, SPROF_MARK_CALLED);
	sprof_profile_destroy(profile);
}

static void unresolved_locations_are_counted(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	struct sprof_symbols symbols = {0};
	struct sprof_quality quality = {.ticks = 1};
	uint32_t location, count;

	assert_true(sprof_profile_name_location(profile, "[unsampled]", &location));
	name(profile, &symbols, (struct sprof_frame){0x10, 0, false}, &count);
	name(profile, &symbols, (struct sprof_frame){0x300, 0, false}, &count);
	name(profile, &symbols, (struct sprof_frame){0x400, 0, false}, &count);
	assert_int_equal(profile->quality.frames_unresolved, 2);
	sprof_profile_set_quality(profile, &quality);
	assert_int_equal(profile->quality.frames_unresolved, 2);
	assert_int_equal(symbols.calls, 3);
	sprof_profile_destroy(profile);
}

static struct sprof_module *make_module(struct sprof_modules *modules, const char *path)
{
	const struct sprof_module_key key = {.kind = SPROF_MODULE_FILE, .path = path};
	bool is_new;

	return sprof_modules_intern(modules, &key, &is_new);
}

/* A sample counts once for a module, however many nameless frames of it are on its stack. */
static void gaps_are_counted_by_module(void **state)
{
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_profile *profile = sprof_profile_create(modules);
	const struct sprof_frame frames[] = {{0x300, 1, false}, {0x400, 1, true}, {0x10, 0, true}};
	struct sprof_stack_view view = {.frames = frames, .count = 3};
	struct sprof_sink sink = sprof_profile_sink(profile);
	struct sprof_symbols symbols = {0};
	const struct sprof_metrics metrics = {.samples = 5};
	struct sprof_gaps gaps;
	struct sprof_error err;
	uint32_t stack;

	make_module(modules, "/bin/full");
	make_module(modules, "/bin/stripped");
	assert_true(sink.stack(sink.data, &view, &stack));
	example_add_row(profile, example_thread(profile, "main"), stack, &metrics);
	assert_true(sprof_profile_resolve(profile, &symbols, &err));
	assert_true(sprof_gaps_build(profile, &gaps, &err));
	assert_int_equal(gaps.count, 1);
	assert_int_equal(gaps.items[0].module, 1);
	assert_int_equal(gaps.items[0].addresses, 2);
	assert_int_equal(gaps.items[0].samples, 5);
	assert_int_equal(gaps.all_samples, 5);
	assert_string_equal(gaps.items[0].why, "stripped");
	assert_null(gaps.items[0].help);
	sprof_gaps_finish(&gaps);
	sprof_profile_destroy(profile);
	sprof_modules_destroy(modules);
}

/*
 * Processes of one runtime are one row. Its remedy is that of a process that has such places and no
 * perf map yet.
 */
static void a_runtime_has_one_gap_with_the_remedy_of_a_sampled_process(void **state)
{
	static const char *const helps[] = {"jcmd 1", NULL, "jcmd 3"};
	struct sprof_modules *modules = sprof_modules_create();
	struct sprof_profile *profile = sprof_profile_create(modules);
	const struct sprof_frame frames[] = {{0x300, 1, false}, {0x400, 2, true}};
	struct sprof_stack_view view = {.frames = frames, .count = 2};
	struct sprof_sink sink = sprof_profile_sink(profile);
	struct sprof_symbols symbols = {.helps = helps};
	const struct sprof_metrics metrics = {.samples = 5};
	struct sprof_gaps gaps;
	struct sprof_error err;
	uint32_t stack;
	bool is_new;

	for (uint64_t pid = 1; pid <= 3; pid++)
		assert_non_null(sprof_modules_intern(modules,
			&(struct sprof_module_key){.kind = SPROF_MODULE_ANONYMOUS,
				.path = "[jit of java]",
				.inode = pid},
			&is_new));
	assert_true(sink.stack(sink.data, &view, &stack));
	example_add_row(profile, example_thread(profile, "main"), stack, &metrics);
	assert_true(sprof_profile_resolve(profile, &symbols, &err));
	assert_string_equal(profile->module_facts[0].gap_help, "jcmd 3");
	assert_true(sprof_gaps_build(profile, &gaps, &err));
	assert_int_equal(gaps.count, 1);
	assert_int_equal(gaps.items[0].module, 0);
	assert_int_equal(gaps.items[0].addresses, 2);
	assert_int_equal(gaps.items[0].samples, 5);
	assert_string_equal(gaps.items[0].help, "jcmd 3");
	sprof_gaps_finish(&gaps);
	sprof_profile_destroy(profile);
	sprof_modules_destroy(modules);
}

/* The stack of a leaf in g, above a caller that its call returns to: the marks of the leaf's lines. */
static const struct sprof_profile_line *join(
	struct sprof_profile *profile, uint64_t behind, uint64_t leaf, uint32_t *ret_count)
{
	const struct sprof_frame frames[] = {{leaf, 1, false}, {behind, 1, true}};
	struct sprof_symbols symbols = {0};
	struct sprof_error err;
	const struct sprof_profile_location *location;
	uint32_t stack;

	assert_true(sprof_profile_push_frames(profile, frames, 2, &stack));
	assert_true(sprof_profile_resolve(profile, &symbols, &err));
	location = &profile->locations[profile->stacks[stack].location];
	*ret_count = location->line_count;
	return &profile->lines[location->first_line];
}

static void tail_calls_are_put_in(void **state)
{
	struct sprof_profile *profile = sprof_profile_create(NULL);
	const struct sprof_profile_line *lines;
	uint32_t count;

	lines = join(profile, 0x40, 0xb0, &count);
	assert_int_equal(count, 2);
	assert_int_equal(lines[1].mark, SPROF_MARK_CALLED);
	/* The other caller has the same leaf. */
	lines = join(profile, 0x41, 0xb0, &count);
	assert_int_equal(count, 3);
	assert_int_equal(lines[0].mark, SPROF_MARK_INLINED);
	assert_int_equal(lines[1].mark, SPROF_MARK_CALLED);
	assert_int_equal(lines[2].mark, SPROF_MARK_TAIL_CALL);
	assert_string_equal(profile->functions[lines[2].function].name, "f");
	lines = join(profile, 0x42, 0xb0, &count);
	assert_int_equal(count, 2);
	assert_int_equal(lines[1].mark, SPROF_MARK_TAIL_CALLED);
	sprof_profile_destroy(profile);
}

TEST_MAIN("resolve")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_return_address_is_looked_up_inside_its_call),
		cmocka_unit_test(each_location_is_named_once),
		cmocka_unit_test(modules_tell_functions_of_one_name_apart),
		cmocka_unit_test(inline_chains_are_innermost_first),
		cmocka_unit_test(unresolved_locations_are_counted),
		cmocka_unit_test(gaps_are_counted_by_module),
		cmocka_unit_test(a_runtime_has_one_gap_with_the_remedy_of_a_sampled_process),
		cmocka_unit_test(tail_calls_are_put_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
