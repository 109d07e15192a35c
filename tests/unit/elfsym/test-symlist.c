/* Symbols as text: System.map, nm -S, kallsyms, perf maps, and what is none of them. */
#include "elfsym/symlist.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

static struct sprof_symlist *read_list(enum sprof_symlist_format format, const char *text)
{
	struct sprof_symlist *list;
	struct sprof_error err;

	assert_true(sprof_symlist_create(format, strdup(text), strlen(text), &list, &err));
	return list;
}

/* NULL: no name there. */
static void check(const struct sprof_symlist *list, uint64_t address, const char *expected)
{
	const struct sprof_symlist_line *line = sprof_symlist_find(list, address);

	if (!expected) {
		assert_null(line);
		return;
	}
	assert_non_null(line);
	assert_int_equal(line->name_length, strlen(expected));
	assert_memory_equal(line->name, expected, line->name_length);
}

static void a_system_map(void **state)
{
	struct sprof_symlist *list = read_list(SPROF_SYMLIST_SYSMAP,
		"ffffffff81000000 T _text\n"
		"ffffffff81000040 t local_function\n"
		"ffffffff81000080 W weak\r\n"
		"ffffffff81001000 D data\n"
		"ffffffff81002000 T last\n");

	check(list, 0xffffffff80ffffff, NULL);
	check(list, 0xffffffff81000000, "_text");
	check(list, 0xffffffff8100003f, "_text");
	check(list, 0xffffffff81000040, "local_function");
	check(list, 0xffffffff81000fff, "weak");
	check(list, 0xffffffff81001000, NULL);
	check(list, 0xfffffffffffffff0, "last");
	assert_false(list->all_zero);
	sprof_symlist_destroy(list);
}

/* Global before local before weak; of two equal ones the first. */
static void several_names_for_an_address(void **state)
{
	struct sprof_symlist *list = read_list(SPROF_SYMLIST_SYSMAP,
		"10 w weak\n10 t local\n10 T global\n10 T another\n20 t one\n20 t two\n");

	check(list, 0x10, "global");
	check(list, 0x1f, "global");
	check(list, 0x20, "one");
	sprof_symlist_destroy(list);
}

static void sizes_of_nm(void **state)
{
	struct sprof_symlist *list = read_list(SPROF_SYMLIST_SYSMAP,
		"0000000000001000 0000000000000010 T sized\n0000000000001040 T unsized\n");

	check(list, 0x100f, "sized");
	check(list, 0x1010, NULL);
	check(list, 0x1040, "unsized");
	sprof_symlist_destroy(list);
}

static void kallsyms_without_permission(void **state)
{
	struct sprof_symlist *list = read_list(SPROF_SYMLIST_SYSMAP,
		"0000000000000000 T startup_64\n0000000000000000 t f\t[module]\n");

	assert_true(list->all_zero);
	sprof_symlist_destroy(list);
}

/* Names have blanks; later lines replace earlier ones; garbage in between does no harm. */
static void a_perf_map(void **state)
{
	struct sprof_symlist *list = read_list(SPROF_SYMLIST_PERF_MAP,
		"7f0000001000 100 LazyCompile:*f /app/x.js:1\n"
		"garbage\n\n7f 0 no size\n"
		"0x7f0000001040 0x20 py::inner:/tmp/x.py\n"
		"7f0000002000 10");

	check(list, 0x7f0000001000, "LazyCompile:*f /app/x.js:1");
	check(list, 0x7f0000001040, "py::inner:/tmp/x.py");
	check(list, 0x7f000000105f, "py::inner:/tmp/x.py");
	check(list, 0x7f0000001060, "LazyCompile:*f /app/x.js:1");
	check(list, 0x7f0000001100, NULL);
	check(list, 0x7f0000002000, NULL);
	sprof_symlist_destroy(list);
}

static void nothing_at_all(void **state)
{
	struct sprof_symlist *list = read_list(SPROF_SYMLIST_SYSMAP, "");

	check(list, 0, NULL);
	sprof_symlist_destroy(list);
	list = read_list(SPROF_SYMLIST_PERF_MAP, "fffffffffffffff0 ffff end of memory\n");
	check(list, 0xfffffffffffffff8, "end of memory");
	sprof_symlist_destroy(list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_system_map),
		cmocka_unit_test(several_names_for_an_address),
		cmocka_unit_test(sizes_of_nm),
		cmocka_unit_test(kallsyms_without_permission),
		cmocka_unit_test(a_perf_map),
		cmocka_unit_test(nothing_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
