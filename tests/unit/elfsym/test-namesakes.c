/* elfsym/namesakes: which symbols only their units distinguish. */
#include "elfsym/elf/namesakes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

enum { AT_MOST = 6 };

struct described {
	uint64_t name;
	uint32_t unit; /* from 1 on; 0: global */
	bool is_part;
	bool needs_unit; /* what is expected */
	uint32_t number;
	uint64_t place; /* if it is local, of an unknown unit */
};

static const struct {
	const char *what;
	const char *units[AT_MOST];
	struct described symbols[AT_MOST];
} tables[] = {
	{"one function", {"a.c"}, {{1, 1}}},
	{"functions of other names", {"a.c", "b.c"}, {{1, 1}, {2, 2}}},
	{"two of one name", {"a.c", "b.c"}, {{1, 2, false, true}, {1, 1, false, true}, {2, 1}}},
	{"one that all see, and one of a unit", {"a.c"}, {{1, 0}, {1, 1, false, true}}},
	{"units of one name", {"a.c", "b.c", "a.c"},
		{{1, 3, false, true, 2}, {1, 1, false, true, 1}, {1, 2, false, true}}},
	{"only one of them has it", {"a.c", "b.c", "a.c"},
		{{1, 3, false, true}, {1, 2, false, true}}},
	{"several places in one unit", {"a.c"}, {{1, 1}, {1, 1}}},
	{"a part", {"a.c"}, {{1, 1}, {1, 1, true}}},
	{"the part of a function that all see", {"a.c"}, {{1, 0}, {1, 1, true}}},
	{"parts of two", {"a.c", "b.c"},
		{{1, 1, true, true}, {1, 2, false, true}, {1, 1, false, true}, {1, 2, true, true}}},
	{"places in unknown units", {NULL},
		{{1, 0, false, true, .place = 16}, {1, 0, false, true, .place = 32}, {1, 0, true},
			{2, 0, .place = 48}}},
	{"an unknown unit, and one that all see", {NULL},
		{{1, 0}, {1, 0, false, true, .place = 16}}},
	{"parts of one that all see, and of one of a unit", {"a.c", "b.c"},
		{{1, 0}, {1, 1, true}, {1, 2, false, true}, {1, 2, true, true}}},
};

static void in_a_table(void **state)
{
	for (size_t t = 0; t < sizeof(tables) / sizeof(tables[0]); t++) {
		struct sprof_namesake items[AT_MOST] = {0};
		struct sprof_unit_files units = {0};
		size_t count = 0;
		uint32_t unit;

		for (; units.count < AT_MOST && tables[t].units[units.count];)
			assert_true(
				sprof_unit_files_add(&units, tables[t].units[units.count], &unit));
		for (; count < AT_MOST && tables[t].symbols[count].name; count++)
			items[count] =
				(struct sprof_namesake){.name = tables[t].symbols[count].name,
					.unit = tables[t].symbols[count].unit,
					.place = tables[t].symbols[count].place,
					.symbol = (uint32_t)count,
					.is_part = tables[t].symbols[count].is_part};
		sprof_namesakes_judge(items, count, &units);
		for (size_t i = 0; i < count; i++) {
			const struct described *expected = &tables[t].symbols[items[i].symbol];

			if (items[i].needs_unit != expected->needs_unit ||
				(expected->needs_unit && expected->unit &&
					items[i].number != expected->number))
				fail_msg("%s: symbol %u: %d, %u", tables[t].what, items[i].symbol,
					items[i].needs_unit, items[i].number);
		}
		sprof_unit_files_finish(&units);
	}
}

static void names_of_sources(void **state)
{
	static const char *const others[] = {"", "<artificial>", "ld-temp.o",
		"/tmp/ccAb1.ltrans0.ltrans.o", "prog.7rcbfp3g-cgu.0", "go.go"};
	static const char *const sources[] = {"a.c", "src/a.cc", "start.S", "parser.y"};
	struct sprof_unit_files units = {0};
	uint32_t unit;

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_true(sprof_unit_files_add(&units, others[i], &unit));
		assert_int_equal(unit, 0);
	}
	for (uint32_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
		assert_true(sprof_unit_files_add(&units, sources[i], &unit));
		assert_int_equal(unit, i + 1);
	}
	sprof_unit_files_finish(&units);
}

TEST_MAIN("namesakes")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_a_table),
		cmocka_unit_test(names_of_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
