/*
 * elfsym/go-table: where a table is found and where not, and what it says of each function, in the four formats,
 * with addresses in place and in relocations. Then tables that are cut off, or that say anything.
 */
#include "elfsym/go/table.h"

#include "tests/unit/check.h"
#include "tests/unit/elfsym/go-tables.h"

static const struct go_image_options with_sections = {.section = ".gopclntab"};
static const struct go_image_options without_sections = {.section = NULL};

/* Files in which a table is found. */
static const struct go_image_options places[] = {
	{.section = ".gopclntab"},
	{.section = ".data.rel.ro.gopclntab"},
	{.section = NULL},
	{.section = ".other", .has_note = true},
	{.section = ".gopclntab", .is_dynamic = true},
	{.section = NULL, .is_dynamic = true},
};

enum { PLACES = sizeof(places) / sizeof(places[0]) };

static void expect_tree(const struct sprof_go_table *table, enum go_function which,
	const struct sprof_go_function *function)
{
	uint64_t address = 0;
	bool has_tree = sprof_go_table_funcdata(table, function, 3, &address);

	assert_int_equal(has_tree, which == GO_INLINING);
	if (has_tree)
		assert_int_equal(address, GO_BASE + GO_TREES_AT + 32);
	assert_false(sprof_go_table_funcdata(table, function, 2, &address));
	assert_false(sprof_go_table_funcdata(table, function, 4, &address));
	assert_false(sprof_go_table_funcdata(table, function, UINT32_MAX, &address));
}

static void expect_function(const struct sprof_go_table *table, enum go_function which)
{
	uint64_t entry = go_function_entry(which), end = go_function_entry(which + 1);
	const uint64_t addresses[] = {entry, (entry + end) / 2, end - 1};
	struct sprof_go_function function;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		assert_true(sprof_go_table_find(table, addresses[i], &function));
		assert_true(function.entry == entry && function.end == end);
		assert_string_equal(function.name, go_function_name(which));
	}
	assert_true(sprof_go_table_get(table, which, &function));
	assert_true(function.entry == entry && function.end == end);
	assert_int_equal(function.pcdata_count, which == GO_NO_VALUES ? 0 : 3);
	assert_int_equal(function.funcdata_count, which == GO_NO_VALUES ? 0 : 4);
	assert_int_equal(sprof_go_table_pcdata(table, &function, 0), 0);
	assert_int_equal(sprof_go_table_pcdata(table, &function, 2) != 0, which == GO_INLINING);
	assert_int_equal(sprof_go_table_pcdata(table, &function, 3), 0);
	assert_int_equal(sprof_go_table_pcdata(table, &function, UINT32_MAX), 0);
	expect_tree(table, which, &function);
}

/* The names of Go 1.2 are anywhere in the table, and their numbers count from its beginning. */
static void expect_nothing_around(const struct sprof_go_table *table)
{
	static const uint64_t nowhere[] = {0, 1, GO_TEXT - 1, UINT64_MAX, UINT64_MAX - 1};
	struct sprof_go_function function;

	for (size_t i = 0; i < sizeof(nowhere) / sizeof(nowhere[0]); i++)
		assert_false(sprof_go_table_find(table, nowhere[i], &function));
	assert_false(sprof_go_table_find(table, go_function_entry(GO_FUNCTIONS), &function));
	if (table->names)
		assert_null(sprof_go_table_name(table, 0));
	assert_null(sprof_go_table_name(table, 1u << 30));
	assert_null(sprof_go_table_name(table, UINT32_MAX));
}

static void each_function_in_each_file(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct go_tables tables;

		go_tables_make(&options, &tables);
		for (size_t i = 0; i < PLACES; i++) {
			struct sprof_go_table *table =
				sprof_go_table_open(go_tables_open(&tables, &places[i]));

			assert_non_null(table);
			assert_int_equal(table->function_count, GO_FUNCTIONS);
			assert_true(table->address == GO_TABLE);
			assert_int_equal(
				sprof_go_table_inline_size(table), format == GO_1_20 ? 16 : 20);
			for (int which = 0; which < GO_FUNCTIONS; which++)
				expect_function(table, (enum go_function)which);
			expect_nothing_around(table);
			go_program_close(table);
		}
	}
}

static void flags_and_start_lines(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);
		struct sprof_go_function function;
		bool has_flags = format != GO_1_2;

		assert_int_equal(table->has_flags, has_flags);
		assert_true(sprof_go_table_get(table, GO_FLAGGED_ROOT, &function));
		assert_int_equal(function.is_top, has_flags);
		assert_false(function.writes_sp);
		assert_true(sprof_go_table_get(table, GO_MCALL, &function));
		assert_int_equal(function.writes_sp, has_flags);
		assert_false(function.is_top);
		assert_true(sprof_go_table_get(table, GO_LEAF, &function));
		assert_false(function.is_top || function.writes_sp);
		assert_int_equal(function.start_line, format == GO_1_20 ? 9 : 0);
		go_program_close(table);
	}
}

/* Go 1.16 and 1.17 have the same header. */
static void a_table_without_flags(void **state)
{
	const struct go_table_options options = {.format = GO_1_16, .has_no_flags = true};
	struct sprof_go_table *table = go_program_open(&options);
	struct sprof_go_function function;

	assert_false(table->has_flags);
	assert_true(sprof_go_table_get(table, GO_EXIT, &function));
	assert_false(function.is_top || function.writes_sp);
	go_program_close(table);
}

static void of_two_functions_the_one_that_sets_sp(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);
		struct sprof_go_function function;

		assert_true(sprof_go_table_find_switch(table, "runtime.asmcgocall", &function));
		assert_true(function.entry ==
			go_function_entry(format == GO_1_2 ? GO_C_CALL_WRAPPER : GO_C_CALL));
		assert_int_equal(sprof_go_table_find_switch(table, "main.leaf", &function),
			format == GO_1_2);
		assert_false(sprof_go_table_find_switch(table, "main.nothing", &function));
		go_program_close(table);
	}
}

static void expect_held(const struct sprof_go_table *table,
	const struct sprof_go_function *function, uint32_t at, int32_t value, uint32_t end)
{
	struct sprof_go_value found;

	assert_true(sprof_go_table_value(
		table, function, function->sp_values, function->entry + at, &found));
	assert_int_equal(found.value, value);
	assert_true(found.end == function->entry + end);
}

static void values_by_address(void **state)
{
	static const uint8_t quanta[] = {1, 2, 4};

	for (size_t i = 0; i < GO_FORMATS * sizeof(quanta); i++) {
		const struct go_table_options options = {.format = (enum go_format)(i % GO_FORMATS),
			.quantum = quanta[i / GO_FORMATS]};
		struct go_tables tables;
		struct sprof_go_table *table;
		struct sprof_go_function function;
		struct sprof_go_value value;

		go_tables_make(&options, &tables);
		/* Code that counts by 2 is on s390x only, and isn't searched for. */
		table = sprof_go_table_open(go_tables_open(&tables, &with_sections));
		assert_true(table && sprof_go_table_get(table, GO_LEAF, &function));
		expect_held(table, &function, 0, 0, 4);
		expect_held(table, &function, 3, 0, 4);
		expect_held(table, &function, 4, 16, 60);
		expect_held(table, &function, 59, 16, 60);
		expect_held(table, &function, 60, 0, 128);
		expect_held(table, &function, 127, 0, 128);
		assert_false(sprof_go_table_value(
			table, &function, function.sp_values, function.end, &value));
		assert_false(sprof_go_table_value(table, &function, 0, function.entry, &value));
		assert_false(
			sprof_go_table_value(table, &function, UINT32_MAX, function.entry, &value));
		go_program_close(table);
	}
}

static void files_by_number(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);
		struct sprof_go_function function;
		uint32_t first = format == GO_1_2 ? 1 : 0;

		assert_true(sprof_go_table_get(table, GO_LEAF, &function));
		assert_string_equal(sprof_go_table_file(table, &function, first), "/src/main.go");
		assert_string_equal(
			sprof_go_table_file(table, &function, first + 2), "/src/other.go");
		if (format != GO_1_2)
			assert_null(sprof_go_table_file(table, &function, 1));
		assert_null(sprof_go_table_file(table, &function, UINT32_MAX));
		assert_true(sprof_go_table_get(table, GO_MCALL, &function));
		assert_string_equal(sprof_go_table_file(table, &function, format == GO_1_2 ? 2 : 0),
			"/go/asm.s");
		go_program_close(table);
	}
}

/* The file of a table whose bytes have been changed: whether a table is found. */
static bool is_found(const struct go_tables *tables, const struct go_image_options *options)
{
	struct sprof_image *image = go_tables_open(tables, options);
	struct sprof_go_table *table = sprof_go_table_open(image);
	bool found = table;

	sprof_go_table_close(table);
	sprof_image_close(image);
	return found;
}

static void headers_of_nothing(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} changes[] = {{0, 0xf2}, {1, 0}, {3, 0xfe}, {4, 1}, {5, 1}, {6, 0}, {6, 3}, {6, 8}, {7, 4},
		{7, 0}};

	for (size_t i = 0; i < GO_FORMATS * sizeof(changes) / sizeof(changes[0]); i++) {
		const struct go_table_options options = {
			.format = (enum go_format)(i % GO_FORMATS)};
		struct go_tables tables;

		go_tables_make(&options, &tables);
		assert_true(is_found(&tables, &without_sections));
		tables.bytes[changes[i / GO_FORMATS].at] = changes[i / GO_FORMATS].value;
		assert_false(is_found(&tables, &with_sections));
		assert_false(is_found(&tables, &without_sections));
	}
}

/* A file of another language may hold anything, so that one with sections is not searched. */
static void where_no_table_is_looked_for(void **state)
{
	static const struct go_image_options other = {.section = ".other"};
	const struct go_table_options options = {.format = GO_1_20};
	struct go_tables tables;

	go_tables_make(&options, &tables);
	assert_false(is_found(&tables, &other));
}

/* A place that looks like the first bytes comes before the table, and one is at no multiple of a word. */
static void first_bytes_that_begin_no_table(void **state)
{
	static const uint8_t start[] = {0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8};
	const struct go_table_options options = {.format = GO_1_20};
	struct go_image made;
	struct go_tables tables;
	struct sprof_go_table *table;

	go_tables_make(&options, &tables);
	made = go_tables_image(&tables, &without_sections);
	go_image_put(&made, GO_NOTE_AT, start, sizeof(start));
	go_image_put(&made, GO_TREES_AT + 0x81, start, sizeof(start));
	table = sprof_go_table_open(go_image_open(&made));
	assert_non_null(table);
	assert_true(table->address == GO_TABLE);
	go_program_close(table);
}

/* Each of them could make the reader copy all that is behind it, or look for it everywhere. */
static void a_file_full_of_first_bytes(void **state)
{
	enum { SIZE = 4 << 20, STEP = 80 };
	static const uint64_t headers[][10] = {{0x08010000fffffffb, 1}, {0x08010000fffffffa, 72, 1},
		{0x08010000fffffff1, 1, 1, 0, 0, 0, 0, 0, 72}};

	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
		struct go_image_options options = {.is_dynamic = true};
		uint8_t *bytes = calloc(1, SIZE);
		struct sprof_image *image;
		struct go_image made;

		assert_non_null(bytes);
		for (size_t at = 0; at + STEP <= SIZE; at += STEP)
			memcpy(bytes + at, headers[i], STEP);
		made = go_image_make(&options, bytes, SIZE);
		free(bytes);
		image = go_image_open(&made);
		assert_null(sprof_go_table_open(image));
		sprof_image_close(image);
	}
}

/* Random bytes may look like a header, but hardly tell of code. */
static void functions_that_are_no_code(void **state)
{
	for (int format = 0; format < GO_1_18; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		const uint64_t nowhere = GO_BASE + GO_DATA_AT;
		struct go_tables tables;

		go_tables_make(&options, &tables);
		for (size_t i = 0; i < tables.address_count; i++)
			memcpy(tables.bytes + tables.addresses[i], &nowhere, sizeof(nowhere));
		assert_false(is_found(&tables, &with_sections));
	}
}

static void no_functions(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct go_tables tables;

		go_tables_make(&options, &tables);
		memset(tables.bytes + 8, 0, 8);
		assert_false(is_found(&tables, &with_sections));
	}
}

/* From Go 1.26 on the header has no address, and the runtime's description is all there is. */
static void a_text_that_only_the_description_tells(void **state)
{
	for (size_t i = 0; i < PLACES; i++) {
		const struct go_table_options options = {.format = GO_1_20};
		struct go_tables tables;
		struct sprof_go_table *table;

		go_tables_make(&options, &tables);
		memset(tables.bytes + 24, 0, 8);
		tables.address_count = 0;
		table = sprof_go_table_open(go_tables_open(&tables, &places[i]));
		assert_non_null(table);
		assert_true(table->text == GO_TEXT);
		expect_function(table, GO_INLINING);
		go_program_close(table);
	}
}

/* Without it functions are known by the header, inline trees are not. */
static void a_description_that_is_missing(void **state)
{
	for (int format = GO_1_18; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_function function;
		struct sprof_go_table *table;
		struct go_tables tables;
		struct go_image made;
		uint64_t address;

		go_tables_make(&options, &tables);
		made = go_tables_image(&tables, &with_sections);
		go_image_put_word(&made, GO_MODULE_AT + 20 * 8, 0);
		table = sprof_go_table_open(go_image_open(&made));
		assert_non_null(table);
		assert_true(table->inline_trees == 0 && table->text == GO_TEXT);
		assert_true(sprof_go_table_find(table, go_function_entry(GO_INLINING), &function));
		assert_false(sprof_go_table_funcdata(table, &function, 3, &address));
		go_program_close(table);
	}
}

static void look_at(const struct go_tables *tables, const struct go_image_options *options)
{
	struct sprof_image *image = go_tables_open(tables, options);

	go_use(image);
	sprof_image_close(image);
}

/* The words that are addresses lie behind the cut, or in it. */
static void cut(struct go_tables *tables, size_t size)
{
	size_t kept = 0;

	for (size_t i = 0; i < tables->address_count; i++)
		if (tables->addresses[i] + 8 <= size)
			tables->addresses[kept++] = tables->addresses[i];
	tables->address_count = kept;
	tables->size = size;
}

static void every_start_of_a_table(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct go_tables tables, start;

		go_tables_make(&options, &tables);
		for (size_t size = 0; size <= tables.size; size++) {
			start = tables;
			cut(&start, size);
			look_at(&start, &places[size % PLACES]);
		}
	}
}

/* Each word of the table in turn, of 4 bytes and, in headers, of 8. */
static void words_that_say_anything(void **state)
{
	enum { HEADER = 72, SMALL = 6 };
	static const uint64_t values[] = {0, 1, 0x7fffffff, 0x80000000, 0xfffffff8, 0xffffffff,
		0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffff8, UINT64_MAX};

	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct go_tables tables, changed;

		go_tables_make(&options, &tables);
		for (size_t at = 8; at + 8 <= tables.size; at += 4) {
			bool is_header = at < HEADER;
			size_t count = is_header ? sizeof(values) / sizeof(values[0]) : SMALL;

			for (size_t i = 0; i < count; i++) {
				changed = tables;
				memcpy(changed.bytes + at, &values[i], is_header ? 8 : 4);
				look_at(&changed, &with_sections);
			}
		}
	}
}

/*
 * Names begin one byte before the table, by a number that wraps around: each function's is then in the header, and
 * the first byte of the table is one too.
 */
static void names_from_before_the_table(void **state)
{
	const struct go_table_options options = {.format = GO_1_20};
	const uint64_t names = UINT64_MAX;
	const uint32_t in_header = 33;
	struct go_tables tables;
	uint64_t functions;

	go_tables_make(&options, &tables);
	memcpy(tables.bytes + 32, &names, 8);
	memcpy(&functions, tables.bytes + 64, 8);
	for (size_t i = 0; i < GO_FUNCTIONS; i++) {
		uint32_t record;

		memcpy(&record, tables.bytes + functions + i * 8 + 4, 4);
		memcpy(tables.bytes + functions + record + 4, &in_header, 4);
	}
	tables.trees[1] = 1;
	look_at(&tables, &with_sections);
}

static void bytes_that_say_anything(void **state)
{
	static const uint8_t values[] = {0, 1, 0x7f, 0x80, 0xff};

	srandom(1);
	for (int i = 0; i < 4000; i++) {
		const struct go_table_options options = {
			.format = (enum go_format)(i % GO_FORMATS)};
		struct go_tables tables;

		go_tables_make(&options, &tables);
		for (long k = random() % 6; k >= 0; k--)
			tables.bytes[8 + (size_t)random() % (tables.size - 8)] =
				random() % 2 ? (uint8_t)random() : values[random() % 5];
		look_at(&tables, &places[(size_t)random() % PLACES]);
	}
}

TEST_MAIN("go-table")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_function_in_each_file),
		cmocka_unit_test(flags_and_start_lines),
		cmocka_unit_test(a_table_without_flags),
		cmocka_unit_test(of_two_functions_the_one_that_sets_sp),
		cmocka_unit_test(values_by_address),
		cmocka_unit_test(files_by_number),
		cmocka_unit_test(headers_of_nothing),
		cmocka_unit_test(where_no_table_is_looked_for),
		cmocka_unit_test(first_bytes_that_begin_no_table),
		cmocka_unit_test(a_file_full_of_first_bytes),
		cmocka_unit_test(functions_that_are_no_code),
		cmocka_unit_test(no_functions),
		cmocka_unit_test(a_text_that_only_the_description_tells),
		cmocka_unit_test(a_description_that_is_missing),
		cmocka_unit_test(every_start_of_a_table),
		cmocka_unit_test(words_that_say_anything),
		cmocka_unit_test(names_from_before_the_table),
		cmocka_unit_test(bytes_that_say_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
