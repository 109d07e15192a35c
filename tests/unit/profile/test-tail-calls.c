/*
 * profile/tail-calls: what is looked up, once for each pair, and what is not. Which functions made
 * tail calls comes from a table here, in place of elfsym/.
 */
#include <stdlib.h>
#include <string.h>

#include "profile/model/build.h"
#include "profile/names/resolve.h"
#include "tests/unit/check.h"
#include "tests/unit/profile/example.h"

enum { NONE = 0x100, ONE = 0x200, TWO = 0x300, SEVERAL = 0x400 };

struct sprof_symbols {
	unsigned asked;
	struct sprof_call_edge last;
};

/* A call that returns to ONE leads over first; one to TWO over first, then second. */
bool sprof_symbols_find_tail_calls(struct sprof_symbols *symbols, uint32_t module,
	const struct sprof_call_edge *edge, struct sprof_tail_path *ret, struct sprof_error *err)
{
	*ret = (struct sprof_tail_path){0};
	symbols->asked++;
	symbols->last = *edge;
	if (edge->behind == SEVERAL)
		ret->outcome = SPROF_TAIL_PATH_SEVERAL;
	if (edge->behind != ONE && edge->behind != TWO)
		return true;
	ret->outcome = SPROF_TAIL_PATH_ONE;
	ret->steps = calloc(2, sizeof(*ret->steps));
	assert_non_null(ret->steps);
	ret->steps[ret->count++] = (struct sprof_tail_step){.function = 0x10, .place = 0x18};
	if (edge->behind == TWO)
		ret->steps[ret->count++] = (struct sprof_tail_step){.function = 0x20};
	return true;
}

bool sprof_symbols_resolve(struct sprof_symbols *symbols, uint32_t module, uint64_t offset,
	struct sprof_locations *ret, struct sprof_error *err)
{
	static const struct sprof_location first[] = {
		{.function = "inlined", .linkage = "inlined", .line = 1, .inlined = true},
		{.function = "first", .linkage = "first", .file = "a.c", .line = 2}};
	static const struct sprof_location second[] = {
		{.function = "second", .linkage = "second", .file = "a.c", .line = 3}};
	static const struct sprof_location other[] = {{.function = "f", .linkage = "f"}};

	*ret = (struct sprof_locations){other, 1};
	if (offset == 0x18)
		*ret = (struct sprof_locations){first, 2};
	if (offset == 0x20)
		*ret = (struct sprof_locations){second, 1};
	return true;
}

bool sprof_symbols_explain(struct sprof_symbols *symbols, uint32_t module,
	struct sprof_symbols_gap *ret, struct sprof_error *err)
{
	*ret = (struct sprof_symbols_gap){.why = ""};
	return true;
}

bool sprof_symbols_find_data(struct sprof_symbols *symbols, uint32_t module, uint64_t distance,
	const char **ret_name, uint64_t *ret_offset, struct sprof_error *err)
{
	*ret_name = NULL;
	return true;
}

struct subject {
	struct sprof_profile *profile;
	struct sprof_symbols symbols;
};

static struct subject begin(void)
{
	return (struct subject){.profile = sprof_profile_create(NULL)};
}

static uint32_t push(struct subject *subject, const struct sprof_frame *frames, uint32_t count)
{
	const struct sprof_stack_view view = {.frames = frames, .count = count};
	struct sprof_sink sink = sprof_profile_sink(subject->profile);
	struct sprof_error err;
	uint32_t stack;

	assert_true(sink.stack(sink.data, &view, &stack));
	assert_true(sprof_profile_resolve(subject->profile, &subject->symbols, &err));
	return stack;
}

/* The lines of the innermost frame, "leaf<first (tail call)". */
static void check_lines(const struct subject *subject, uint32_t stack, const char *want)
{
	const struct sprof_profile *profile = subject->profile;
	const struct sprof_profile_location *location =
		&profile->locations[profile->stacks[stack].location];
	char text[128] = "";

	for (uint32_t i = 0; i < location->line_count; i++) {
		const struct sprof_profile_line *line = &profile->lines[location->first_line + i];

		strcat(text, i ? "<" : "");
		strcat(text, profile->functions[line->function].name);
		strcat(text, sprof_mark_text(line->mark));
	}
	assert_string_equal(text, want);
}

static uint32_t push_pair(struct subject *subject, uint64_t behind, uint64_t leaf)
{
	const struct sprof_frame frames[] = {{leaf, 0, false}, {behind, 0, true}};

	return push(subject, frames, 2);
}

static void functions_are_put_in(void **state)
{
	struct subject subject = begin();

	check_lines(&subject, push_pair(&subject, NONE, 0x90), "f");
	check_lines(&subject, push_pair(&subject, ONE, 0x90), "f<first (tail call)");
	check_lines(
		&subject, push_pair(&subject, TWO, 0x90), "f<second (tail call)<first (tail call)");
	check_lines(&subject, push_pair(&subject, SEVERAL, 0x90), "f (tail call?)");
	sprof_profile_destroy(subject.profile);
}

/* Without one certain place of the call, the function has no line. */
static void lines_are_those_of_the_calls(void **state)
{
	struct subject subject = begin();
	uint32_t stack = push_pair(&subject, TWO, 0x90);
	const struct sprof_profile *profile = subject.profile;
	const struct sprof_profile_location *location =
		&profile->locations[profile->stacks[stack].location];

	assert_int_equal(profile->lines[location->first_line + 1].line, 0);
	assert_int_equal(profile->lines[location->first_line + 2].line, 2);
	assert_int_equal(sprof_profile_own_lines(profile, location), 1);
	assert_string_equal(profile->functions[sprof_profile_owner(profile, location)].name, "f");
	sprof_profile_destroy(subject.profile);
}

static void each_pair_is_looked_up_once(void **state)
{
	struct subject subject = begin();
	uint32_t first = push_pair(&subject, ONE, 0x90);

	assert_int_equal(push_pair(&subject, ONE, 0x90), first);
	assert_int_equal(subject.symbols.asked, 1);
	assert_int_equal(subject.symbols.last.behind, ONE);
	assert_int_equal(subject.symbols.last.place, 0x90);
	push_pair(&subject, TWO, 0x90);
	assert_int_equal(subject.symbols.asked, 2);
	sprof_profile_destroy(subject.profile);
}

/* The same pair deeper on another stack; the frame above is the leaf's as before. */
static void a_callee_may_be_a_caller(void **state)
{
	const struct sprof_frame frames[] = {{0x90, 0, false}, {ONE, 0, true}, {TWO, 0, true}};
	struct subject subject = begin();
	uint32_t stack = push(&subject, frames, 3);

	check_lines(&subject, stack, "f<first (tail call)");
	check_lines(&subject, subject.profile->stacks[stack].parent,
		"f<second (tail call)<first (tail call)");
	assert_int_equal(subject.symbols.last.behind, ONE);
	sprof_profile_destroy(subject.profile);
}

static void other_modules_and_no_calls_are_not_looked_up(void **state)
{
	const struct sprof_frame modules[] = {{0x90, 1, false}, {ONE, 0, true}};
	const struct sprof_frame creator[] = {{0x90, 0, false},
		{.offset = ONE, .module = 0, .is_return = true, .is_creator = true}};
	const struct sprof_frame alone[] = {{ONE, 0, true}};
	struct subject subject = begin();

	check_lines(&subject, push(&subject, modules, 2), "f");
	check_lines(&subject, push(&subject, creator, 2), "f");
	check_lines(&subject, push(&subject, alone, 1), "f");
	assert_int_equal(subject.symbols.asked, 0);
	sprof_profile_destroy(subject.profile);
}

/* A saved profile's frame has the last byte of the call. */
static void the_end_of_a_call_is_behind_it(void **state)
{
	const struct sprof_frame frames[] = {{0x90, 0, true}, {ONE - 1, 0, false}};
	struct subject subject = begin();

	check_lines(&subject, push(&subject, frames, 2), "f<first (tail call)");
	assert_int_equal(subject.symbols.last.behind, ONE);
	assert_int_equal(subject.symbols.last.place, 0x8f);
	sprof_profile_destroy(subject.profile);
}

static void what_is_there_is_not_put_in_twice(void **state)
{
	struct subject subject = begin();
	uint32_t stack = push_pair(&subject, ONE, 0x90);
	struct sprof_error err;

	assert_true(sprof_profile_insert_tail_calls(subject.profile, &subject.symbols, &err));
	check_lines(&subject, stack, "f<first (tail call)");
	assert_int_equal(subject.symbols.asked, 1);
	sprof_profile_destroy(subject.profile);
}

TEST_MAIN("tail-calls")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_put_in),
		cmocka_unit_test(lines_are_those_of_the_calls),
		cmocka_unit_test(each_pair_is_looked_up_once),
		cmocka_unit_test(a_callee_may_be_a_caller),
		cmocka_unit_test(other_modules_and_no_calls_are_not_looked_up),
		cmocka_unit_test(the_end_of_a_call_is_behind_it),
		cmocka_unit_test(what_is_there_is_not_put_in_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
