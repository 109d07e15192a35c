/*
 * elfsym/tail-calls: which functions made tail calls between a return address and the function
 * that is found. The code decides; for a debug file alone, DWARF and the symbols must be enough.
 */
#include "elfsym/code/tail-calls.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/check.h"
#include "tests/unit/elfsym/fixture.h"

/* Link-time addresses. */
struct way {
	uint64_t behind, place;
};

struct opened {
	struct sprof_modules *modules;
	struct sprof_image *image;
	struct sprof_dwarf *dwarf;
	struct sprof_symtab *symtab;
	struct sprof_tail_calls *calls;
};

static struct opened open_calls(const char *name, bool by_name)
{
	static const struct sprof_debug_places nowhere = {.root = "/nowhere"};
	struct opened opened = {.modules = sprof_modules_create()};
	struct sprof_dwarf_source source = {.path = name, .places = &nowhere};
	struct sprof_symtab_files files = {0};
	struct sprof_error err;

	assert_true(sprof_image_open(
		open_module(opened.modules, subject_path(name)), &opened.image, &err));
	source.image = source.debug = files.image = opened.image;
	assert_true(sprof_dwarf_open(&source, &opened.dwarf, &err));
	assert_true(sprof_symtab_create(&files, &opened.symtab, &err));
	assert_true(sprof_tail_calls_create(&(struct sprof_tail_calls_source){.dwarf = opened.dwarf,
						    .image = opened.image,
						    .symtab = by_name ? opened.symtab : NULL},
		&opened.calls, &err));
	return opened;
}

static void close_calls(struct opened *opened)
{
	sprof_tail_calls_destroy(opened->calls);
	sprof_symtab_destroy(opened->symtab);
	sprof_dwarf_close(opened->dwarf);
	sprof_image_close(opened->image);
	sprof_modules_destroy(opened->modules);
}

static struct way way_of(const struct opened *opened, const char *name, const char *label)
{
	struct way offsets, found = {0};
	FILE *output = popen(subject_path(name), "r");
	char text[64];

	assert_non_null(output);
	while (fscanf(output, "%63s %lx %lx", text, &offsets.behind, &offsets.place) == 3) {
		if (strcmp(text, label) != 0)
			continue;
		assert_true(sprof_image_address(opened->image, offsets.behind, &found.behind));
		assert_true(sprof_image_address(opened->image, offsets.place, &found.place));
	}
	assert_int_equal(pclose(output), 0);
	assert_int_not_equal(found.behind, 0);
	return found;
}

static struct sprof_tail_path find(const struct opened *opened, const struct way *way)
{
	struct sprof_tail_path path;
	struct sprof_error err;

	assert_true(sprof_tail_calls_find(opened->calls, way->behind, way->place, &path, &err));
	return path;
}

static void check_step(
	const struct opened *opened, const struct sprof_tail_step *step, const char *function)
{
	struct sprof_symbol symbol;

	assert_true(sprof_symtab_find(opened->symtab, step->function, &symbol));
	assert_int_equal(symbol.address, step->function);
	assert_int_equal(symbol.name_length, strlen(function));
	assert_memory_equal(symbol.name, function, symbol.name_length);
	assert_true(sprof_symtab_find(opened->symtab, step->place, &symbol));
	assert_int_equal(symbol.address, step->function);
}

static void check_ways(const char *name, bool by_name)
{
	struct opened opened = open_calls(name, by_name);
	struct way way = way_of(&opened, name, "one-path");

	for (int again = 0; again < 2; again++) {
		struct sprof_tail_path path = find(&opened, &way);

		assert_int_equal(path.outcome, SPROF_TAIL_PATH_ONE);
		assert_int_equal(path.count, 2);
		check_step(&opened, &path.steps[0], "top");
		check_step(&opened, &path.steps[1], "mid");
		sprof_tail_path_finish(&path);
	}
	way = way_of(&opened, name, "shorter");
	{
		struct sprof_tail_path path = find(&opened, &way);

		assert_int_equal(path.outcome, SPROF_TAIL_PATH_ONE);
		assert_int_equal(path.count, 1);
		check_step(&opened, &path.steps[0], "mid");
		sprof_tail_path_finish(&path);
	}
	close_calls(&opened);
}

/* Nothing is put in where nothing, several paths or an unknown one is between. */
static void check_outcome(
	const char *name, bool by_name, const char *label, enum sprof_tail_outcome outcome)
{
	struct opened opened = open_calls(name, by_name);
	const struct way way = way_of(&opened, name, label);
	struct sprof_tail_path path = find(&opened, &way);

	assert_int_equal(path.outcome, outcome);
	assert_int_equal(path.count, 0);
	sprof_tail_path_finish(&path);
	close_calls(&opened);
}

static const char *const subjects[] = {"tail-subject", "tail-subject-no-pie", "tail-subject-4"};

enum { SUBJECT_COUNT = sizeof(subjects) / sizeof(*subjects) };

static void one_path_is_put_in(void **state)
{
	for (size_t i = 0; i < SUBJECT_COUNT; i++) {
		check_ways(subjects[i], false);
		check_ways(subjects[i], true);
	}
}

static void a_direct_call_has_nothing_between(void **state)
{
	for (size_t i = 0; i < SUBJECT_COUNT; i++) {
		check_outcome(subjects[i], false, "no-tail-call", SPROF_TAIL_PATH_NONE);
		check_outcome(subjects[i], true, "no-tail-call", SPROF_TAIL_PATH_NONE);
	}
}

static void of_two_paths_none_is_chosen(void **state)
{
	for (size_t i = 0; i < SUBJECT_COUNT; i++) {
		check_outcome(subjects[i], false, "two-paths", SPROF_TAIL_PATH_SEVERAL);
		check_outcome(subjects[i], true, "two-paths", SPROF_TAIL_PATH_SEVERAL);
	}
}

/* It may have gone there, but nothing says so. */
static void an_indirect_tail_call_is_no_path(void **state)
{
	for (size_t i = 0; i < SUBJECT_COUNT; i++) {
		check_outcome(subjects[i], false, "indirect", SPROF_TAIL_PATH_NONE);
		check_outcome(subjects[i], true, "indirect", SPROF_TAIL_PATH_NONE);
	}
}

/* A function that no tail call leads to, and addresses that are in no function. */
static void other_places_have_no_path(void **state)
{
	struct opened opened = open_calls("tail-subject", false);
	const struct way one = way_of(&opened, "tail-subject", "one-path");
	const struct way two = way_of(&opened, "tail-subject", "two-paths");
	const struct way ways[] = {{one.behind, two.place}, {two.behind, one.place},
		{one.behind, 1}, {one.behind, UINT64_MAX}, {one.place, one.place}, {1, one.place},
		{UINT64_MAX, one.place}};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct sprof_tail_path path = find(&opened, &ways[i]);

		assert_int_not_equal(path.outcome, SPROF_TAIL_PATH_ONE);
		assert_int_equal(path.count, 0);
		sprof_tail_path_finish(&path);
	}
	close_calls(&opened);
}

TEST_MAIN("tail-calls")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_path_is_put_in),
		cmocka_unit_test(a_direct_call_has_nothing_between),
		cmocka_unit_test(of_two_paths_none_is_chosen),
		cmocka_unit_test(an_indirect_tail_call_is_no_path),
		cmocka_unit_test(other_places_have_no_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
