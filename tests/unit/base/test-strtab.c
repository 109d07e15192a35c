/*
 * base/strtab: equal text is one pointer, pointers stay, odd lengths and large texts.
 */
#include "base/strtab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/check.h"

static void equal_text_is_one_pointer(void **state)
{
	struct sprof_strtab *table = sprof_strtab_create();
	char again[] = "main";
	const char *first = sprof_strtab_intern(table, "main");

	assert_string_equal(first, "main");
	assert_ptr_equal(sprof_strtab_intern(table, again), first);
	assert_ptr_not_equal(first, again);
	assert_ptr_not_equal(sprof_strtab_intern(table, "Main"), first);
	assert_string_equal(sprof_strtab_intern(table, ""), "");
	sprof_strtab_destroy(table);
}

static void a_part_of_a_text(void **state)
{
	struct sprof_strtab *table = sprof_strtab_create();
	const char *part = sprof_strtab_intern_bytes(table, "mainland", 4);

	assert_string_equal(part, "main");
	assert_ptr_equal(part, sprof_strtab_intern(table, "main"));
	assert_string_equal(sprof_strtab_intern_bytes(table, "mainland", 0), "");
	sprof_strtab_destroy(table);
}

static void pointers_stay_while_the_table_grows(void **state)
{
	enum { COUNT = 20000 };
	struct sprof_strtab *table = sprof_strtab_create();
	const char **kept = calloc(COUNT, sizeof(*kept));
	char text[32];

	assert_non_null(kept);
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "function_%d", i);
		kept[i] = sprof_strtab_intern(table, text);
	}
	for (int i = 0; i < COUNT; i++) {
		snprintf(text, sizeof(text), "function_%d", i);
		assert_string_equal(kept[i], text);
		assert_ptr_equal(sprof_strtab_intern(table, text), kept[i]);
	}
	free(kept);
	sprof_strtab_destroy(table);
}

static void a_text_larger_than_a_chunk(void **state)
{
	enum { SIZE = 1000 * 1000 };
	struct sprof_strtab *table = sprof_strtab_create();
	char *text = malloc(SIZE);
	const char *small, *large;

	assert_non_null(text);
	memset(text, 'y', SIZE - 1);
	text[SIZE - 1] = '\0';
	small = sprof_strtab_intern(table, "small");
	large = sprof_strtab_intern(table, text);
	assert_int_equal(strlen(large), SIZE - 1);
	assert_ptr_equal(sprof_strtab_intern(table, "small"), small);
	free(text);
	sprof_strtab_destroy(table);
}

static void destroy_accepts_null(void **state)
{
	sprof_strtab_destroy(NULL);
}

TEST_MAIN("strtab")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_text_is_one_pointer),
		cmocka_unit_test(a_part_of_a_text),
		cmocka_unit_test(pointers_stay_while_the_table_grows),
		cmocka_unit_test(a_text_larger_than_a_chunk),
		cmocka_unit_test(destroy_accepts_null),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
