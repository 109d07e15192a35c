/* Symbols as text, in each form that tools print, and what is none of them. */
#include "elfsym/symlist/symlist.h"

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

	list = read_list(SPROF_SYMLIST_SYSMAP,
		"SYMBOL TABLE:\n"
		"0000000000001000  w    F .text\t0000000000000010              weak\n"
		"0000000000001000 l     F .text\t0000000000000010              local\n"
		"0000000000001000 g     F .text\t0000000000000010              global\n");
	check(list, 0x1000, "global");
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

/* Each form with the same two functions, a datum, and one line that is no symbol. */
static void forms(void **state)
{
	static const char *const texts[] = {
		"                 U puts@GLIBC_2.2.5\n0000000000001000 T add@@V_2\nwhat is this\n"
		"0000000000001010 t b(int, char)\n0000000000001020 D data\n",
		"0000000000001000 0000000000000010 T add\n0000000000001010 t b(int, char)\n"
		"0000000000001020 0000000000000004 D data\nwhat is this\n",
		"add T 1000 10\nputs@GLIBC_2.2.5 U         \nb(int, char) t 1010 \r\n"
		"what is this\ndata D 1020 4\n_ITM_x w         \n",
		"\nx:     file format elf64-x86-64\n\nSYMBOL TABLE:\n"
		"0000000000000000 l    df *ABS*\t0000000000000000              x.c\n"
		"0000000000000000       F *UND*\t0000000000000000              puts@GLIBC_2.2.5\n"
		"0000000000001000 g     F .text\t0000000000000010  V_2         add\n"
		"0000000000001010 l     F .text\t0000000000000010              .hidden b(int, char)\n"
		"0000000000001020 g     O .data\t0000000000000004 (GLIBC_2.2)  data\nwhat is this\n",
		"\nSymbol table '.symtab' contains 43 entries:\n"
		"   Num:    Value          Size Type    Bind   Vis      Ndx Name\n"
		"     0: 0000000000000000     0 NOTYPE  LOCAL  DEFAULT  UND \n"
		"     1: 0000000000000000     0 FUNC    GLOBAL DEFAULT  UND _[...]@GLIBC_2.34 (3)\n"
		"     2: 0000000000001000    16 FUNC    GLOBAL DEFAULT [A] 14 add@@V_2 (2)\n"
		"     3: 0000000000001010    16 IFUNC   LOCAL  DEFAULT   14 b(int, char)\n"
		"     4: 0000000000001020 0x18000 OBJECT  LOCAL  DEFAULT   26 data\nwhat is this\n",
		"# /usr/bin/x\n0000000000001000\t16\tadd\t.symtab\n"
		"0000000000001010\t16\tb(int, char)\t.symtab\n"
		"0000000000001018\t0\tx+0x1018\tFDE only\nwhat is this\n"
		"0000000000001020\t4\tdata\t.symtab\tobject\tglobal\t.data\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sprof_symlist *list = read_list(SPROF_SYMLIST_SYSMAP, texts[i]);

		check(list, 0xfff, NULL);
		check(list, 0x1000, "add");
		check(list, 0x101f, "b(int, char)");
		check(list, 0x1020, NULL);
		assert_int_equal(list->functions, 2);
		assert_int_equal(list->count, 3);
		assert_int_equal(list->skipped, 1);
		sprof_symlist_destroy(list);
	}
}

static void no_form_at_all(void **state)
{
	struct sprof_symlist *list = read_list(SPROF_SYMLIST_SYSMAP,
		"\x7f"
		"ELF\nwhat is this\n\n");

	assert_int_equal(list->functions, 0);
	assert_int_equal(list->count, 0);
	assert_int_equal(list->skipped, 2);
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

TEST_MAIN("symlist")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_system_map),
		cmocka_unit_test(several_names_for_an_address),
		cmocka_unit_test(sizes_of_nm),
		cmocka_unit_test(kallsyms_without_permission),
		cmocka_unit_test(a_perf_map),
		cmocka_unit_test(forms),
		cmocka_unit_test(no_form_at_all),
		cmocka_unit_test(nothing_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
