/*
 * elfsym/go-lines: functions, files, lines and inline chains in the four formats, and trees that are broken.
 */
#include "elfsym/go/lines.h"

#include "tests/unit/check.h"
#include "tests/unit/elfsym/go-tables.h"

static const struct go_image_options with_sections = {.section = ".gopclntab"};

/* A place of a chain, as it is to be. */
struct place {
	const char *name, *file;
	uint32_t line, function_line; /* of an inlined function: from Go 1.20 on */
};

static void expect_chain(const struct sprof_go_table *table, uint64_t address,
	const struct place *places, size_t count)
{
	bool has_lines = sprof_go_table_inline_size(table) == 16;
	struct sprof_go_chain chain;

	assert_true(sprof_go_lines_find(table, address, &chain));
	assert_int_equal(chain.count, count);
	for (size_t i = 0; i < count; i++) {
		const struct sprof_dwarf_place *place = &chain.items[i];
		bool is_inlined = i + 1 < count;

		assert_string_equal(place->name, places[i].name);
		assert_string_equal(place->linkage, places[i].name);
		assert_string_equal(place->file, places[i].file);
		assert_int_equal(place->line, places[i].line);
		assert_int_equal(place->inlined, is_inlined);
		/* Formats without start lines know that of the first instruction. */
		if (has_lines)
			assert_int_equal(place->function_line, places[i].function_line);
		else
			assert_int_equal(
				place->function_line, is_inlined ? 0 : places[i].function_line + 1);
	}
}

static void lines_of_a_function(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);
		uint64_t entry = go_function_entry(GO_LEAF);

		expect_chain(table, entry, &(struct place){"main.leaf", "/src/main.go", 10, 9}, 1);
		expect_chain(
			table, entry + 4, &(struct place){"main.leaf", "/src/main.go", 12, 9}, 1);
		expect_chain(
			table, entry + 40, &(struct place){"main.leaf", "/src/main.go", 11, 9}, 1);
		expect_chain(
			table, entry + 127, &(struct place){"main.leaf", "/src/main.go", 14, 9}, 1);
		go_program_close(table);
	}
}

static void chains_of_inlined_functions(void **state)
{
	static const struct place function = {"main.inlining", "/src/main.go", 20, 19};
	static const struct place call = {"main.inlining", "/src/main.go", 22, 19};
	static const struct place after = {"main.inlining", "/src/main.go", 23, 19};
	static const struct place outer[] = {
		{"main.outer", "/src/main.go", 31, 30}, {"main.inlining", "/src/main.go", 22, 19}};
	static const struct place again[] = {
		{"main.outer", "/src/main.go", 33, 30}, {"main.inlining", "/src/main.go", 22, 19}};
	static const struct place inner[] = {{"main.inner", "/src/other.go", 41, 40},
		{"main.outer", "/src/main.go", 32, 30}, {"main.inlining", "/src/main.go", 22, 19}};

	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);
		uint64_t entry = go_function_entry(GO_INLINING);

		expect_chain(table, entry, &function, 1);
		expect_chain(table, entry + GO_OUTER_CALL, &call, 1);
		expect_chain(table, entry + GO_OUTER, outer, 2);
		expect_chain(table, entry + GO_INNER, inner, 3);
		expect_chain(table, entry + GO_OUTER_AGAIN - 1, inner, 3);
		expect_chain(table, entry + GO_OUTER_AGAIN, again, 2);
		expect_chain(table, entry + GO_OUTER_END, &after, 1);
		expect_chain(table, entry + 127, &after, 1);
		go_program_close(table);
	}
}

static void functions_without_tables(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);
		struct sprof_go_chain chain;

		assert_true(
			sprof_go_lines_find(table, go_function_entry(GO_NO_VALUES) + 8, &chain));
		assert_int_equal(chain.count, 1);
		assert_string_equal(chain.items[0].name, "main.empty");
		assert_null(chain.items[0].file);
		assert_int_equal(chain.items[0].line, 0);
		assert_int_equal(chain.items[0].function_line, 0);
		go_program_close(table);
	}
}

static void nothing_outside(void **state)
{
	const struct go_table_options options = {.format = GO_1_20};
	struct sprof_go_table *table = go_program_open(&options);
	struct sprof_go_chain chain;

	assert_false(sprof_go_lines_find(table, GO_TEXT - 1, &chain));
	assert_int_equal(chain.count, 0);
	assert_false(sprof_go_lines_find(table, go_function_entry(GO_FUNCTIONS), &chain));
	assert_false(sprof_go_lines_find(table, 0, &chain));
	go_program_close(table);
}

/* What a chain is when the tree's words are these from the index on. */
static void find_changed(enum go_format format, size_t index, const uint32_t *words, size_t count,
	struct sprof_go_chain *ret, uint64_t place)
{
	const struct go_table_options options = {.format = format};
	struct sprof_go_table *table;
	struct go_tables tables;

	go_tables_make(&options, &tables);
	memcpy(tables.trees + index, words, count * sizeof(*words));
	table = sprof_go_table_open(go_tables_open(&tables, &with_sections));
	assert_non_null(table);
	assert_true(sprof_go_lines_find(table, go_function_entry(GO_INLINING) + place, ret));
	/* Names are the table's and go with it. */
	assert_true(ret->count >= 1);
	assert_string_equal(ret->items[ret->count - 1].name, "main.inlining");
	assert_false(ret->items[ret->count - 1].inlined);
	go_program_close(table);
}

/* An entry that is its own parent, by its number or by its pc: the chain ends all the same. */
static void a_tree_that_is_a_circle(void **state)
{
	static const uint32_t itself = 0, pc = GO_OUTER;
	struct sprof_go_chain chain;

	find_changed(GO_1_2, 0, &itself, 1, &chain, GO_OUTER);
	assert_int_equal(chain.count, SPROF_GO_DEEPEST);
	find_changed(GO_1_16, 0, &itself, 1, &chain, GO_OUTER);
	assert_int_equal(chain.count, SPROF_GO_DEEPEST);
	find_changed(GO_1_18, 0, &itself, 1, &chain, GO_OUTER);
	assert_int_equal(chain.count, SPROF_GO_DEEPEST);
	find_changed(GO_1_20, 2, &pc, 1, &chain, GO_OUTER);
	assert_int_equal(chain.count, SPROF_GO_DEEPEST);
}

/* What is inside of an entry that isn't one is left out, and so is what is around it. */
static void entries_that_are_none(void **state)
{
	static const uint32_t no_name[] = {UINT32_MAX, 0};
	static const uint32_t far = 0x7fff;
	struct sprof_go_chain chain;

	for (size_t i = 0; i < 2; i++) {
		find_changed(GO_1_18, 8, &no_name[i], 1, &chain, GO_INNER);
		assert_int_equal(chain.count, 1);
		find_changed(GO_1_20, 5, &no_name[i], 1, &chain, GO_INNER);
		assert_int_equal(chain.count, 1);
	}
	/* A parent behind the end of the file. */
	find_changed(GO_1_18, 5, &far, 1, &chain, GO_INNER);
	assert_int_equal(chain.count, 2);
	assert_true(chain.items[0].inlined);
}

/* Without the runtime's description the function is still known, and the line, which is the inlined one's. */
static void a_tree_whose_place_is_not_known(void **state)
{
	for (int format = GO_1_18; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table;
		struct sprof_go_chain chain;
		struct go_tables tables;
		struct go_image made;

		go_tables_make(&options, &tables);
		made = go_tables_image(&tables, &with_sections);
		go_image_put_word(&made, GO_MODULE_AT, 0);
		table = sprof_go_table_open(go_image_open(&made));
		assert_non_null(table);
		assert_true(sprof_go_lines_find(
			table, go_function_entry(GO_INLINING) + GO_INNER, &chain));
		assert_int_equal(chain.count, 1);
		assert_string_equal(chain.items[0].name, "main.inlining");
		assert_int_equal(chain.items[0].line, 41);
		assert_false(chain.items[0].inlined);
		go_program_close(table);
	}
}

TEST_MAIN("go-lines")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_a_function),
		cmocka_unit_test(chains_of_inlined_functions),
		cmocka_unit_test(functions_without_tables),
		cmocka_unit_test(nothing_outside),
		cmocka_unit_test(a_tree_that_is_a_circle),
		cmocka_unit_test(entries_that_are_none),
		cmocka_unit_test(a_tree_whose_place_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
