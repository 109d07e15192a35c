/*
 * elfsym/go-rows: rows of ordinary functions, roots, functions that a signal brought, and each that changes stacks.
 */
#include "elfsym/go/rows.h"

#include "tests/unit/check.h"
#include "tests/unit/elfsym/go-tables.h"

enum { WORD = 8 };

static const struct go_image_options with_sections = {.section = ".gopclntab"};

static struct sprof_cfi_row row_at(
	const struct sprof_go_table *table, enum go_function function, uint64_t at)
{
	uint64_t address = go_function_entry(function) + at;
	struct sprof_cfi_row row = sprof_go_rows_find(table, address);

	assert_true(row.end > address);
	assert_true(row.end <= go_function_entry(function + 1));
	return row;
}

static void expect_usual(const struct sprof_go_table *table, enum go_function function, uint64_t at,
	int32_t offset, uint64_t end)
{
	struct sprof_cfi_row row = row_at(table, function, at);

	assert_int_equal(row.cfa, SPROF_CFA_SP);
	assert_int_equal(row.cfa_offset, offset);
	assert_int_equal(row.ra, SPROF_REG_SAVED);
	assert_int_equal(row.ra_offset, -WORD);
	assert_int_equal(row.fp, offset == WORD ? SPROF_REG_SAME : SPROF_REG_SAVED);
	if (row.fp == SPROF_REG_SAVED)
		assert_int_equal(row.fp_offset, -2 * WORD);
	assert_true(row.end == go_function_entry(function) + end);
}

static void frames(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);

		expect_usual(table, GO_LEAF, 0, 8, 4);
		expect_usual(table, GO_LEAF, 3, 8, 4);
		expect_usual(table, GO_LEAF, 4, 24, 60);
		expect_usual(table, GO_LEAF, 59, 24, 60);
		expect_usual(table, GO_LEAF, 60, 8, 128);
		expect_usual(table, GO_INLINING, GO_INNER, 48, 0x7c);
		go_program_close(table);
	}
}

static void expect_nothing(const struct sprof_go_table *table, uint64_t address)
{
	struct sprof_cfi_row row = sprof_go_rows_find(table, address);

	assert_int_equal(row.cfa, SPROF_CFA_NONE);
	assert_true(row.end == address + 1);
}

static void where_the_table_says_nothing(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);

		expect_nothing(table, 0);
		expect_nothing(table, GO_TEXT - 1);
		expect_nothing(table, go_function_entry(GO_NO_VALUES) + 5);
		expect_nothing(table, go_function_entry(GO_FUNCTIONS));
		go_program_close(table);
	}
}

static void roots(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);
		bool has_flags = format != GO_1_2;

		assert_int_equal(row_at(table, GO_EXIT, 1).ra, SPROF_REG_UNDEFINED);
		assert_int_equal(row_at(table, GO_FLAGGED_ROOT, 1).ra,
			has_flags ? SPROF_REG_UNDEFINED : SPROF_REG_SAVED);
		go_program_close(table);
	}
}

/* The caller of such a function was interrupted: no call is before the place. */
static void functions_that_nobody_calls(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);

		assert_int_equal(row_at(table, GO_PREEMPT, 8).ra, SPROF_REG_SAVED_PLACE);
		assert_int_equal(row_at(table, GO_PREEMPT, 8).cfa, SPROF_CFA_SP);
		/* Flagged as outermost, and called by the kernel's frame. */
		assert_int_equal(row_at(table, GO_SIGTRAMP, 8).ra, SPROF_REG_SAVED_PLACE);
		assert_int_equal(row_at(table, GO_SIGTRAMP, 8).cfa, SPROF_CFA_SP);
		go_program_close(table);
	}
}

/* What a handler returns to doesn't set sp, and has no flag that says so. */
static void the_frame_of_a_signal(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);

		assert_int_equal(row_at(table, GO_SIGRETURN, 0).cfa, SPROF_CFA_SIGNAL);
		assert_int_equal(row_at(table, GO_SIGRETURN, 0).ra, SPROF_REG_SAVED);
		go_program_close(table);
	}
}

static void functions_that_change_stacks(void **state)
{
	static const struct {
		enum go_function function;
		enum sprof_cfa_rule cfa;
		int32_t offset;
	} switches[] = {
		{GO_SYSTEM_STACK, SPROF_CFA_GO_SYSTEM_CALL, 8},
		{GO_MCALL, SPROF_CFA_GO_SYSTEM_LEFT, 8},
		{GO_CALLBACK, SPROF_CFA_GO_CALLBACK, 40},
		{GO_NANOTIME, SPROF_CFA_GO_VDSO, 32},
	};

	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);

		for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
			struct sprof_cfi_row row = row_at(table, switches[i].function, 0x20);

			assert_int_equal(row.cfa, switches[i].cfa);
			assert_int_equal(row.cfa_offset, switches[i].offset);
			assert_int_equal(row.ra, SPROF_REG_SAVED);
			assert_int_equal(row.ra_offset, -WORD);
		}
		go_program_close(table);
	}
}

/* Of the same name, it has a usual frame; without flags the two look the same, and the code tells. */
static void the_wrapper_of_a_call_of_c(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);
		uint64_t end = format == GO_1_2 ? 5 : 0x7c;

		expect_usual(table, GO_C_CALL_WRAPPER, 4, 40, end);
		go_program_close(table);
	}
}

static struct sprof_cfi_row row_of_code(const uint8_t *code, size_t size, uint64_t place)
{
	const struct go_table_options options = {.format = GO_1_20};
	struct sprof_go_table *table;
	struct sprof_cfi_row row;
	struct go_tables tables;
	struct go_image made;
	static const uint8_t nothing[0x80];

	go_tables_make(&options, &tables);
	made = go_tables_image(&tables, &with_sections);
	go_image_put(&made, go_function_entry(GO_C_CALL) - GO_BASE, nothing, sizeof(nothing));
	go_image_put(&made, go_function_entry(GO_C_CALL) - GO_BASE + 0x40, code, size);
	table = sprof_go_table_open(go_image_open(&made));
	assert_non_null(table);
	row = row_at(table, GO_C_CALL, place);
	go_program_close(table);
	return row;
}

/* Each place has a row for itself: what is behind another one may be something else. */
static void calls_of_c(void **state)
{
	static const struct {
		uint8_t code[5];
		enum sprof_cfa_rule cfa;
		int32_t slot;
	} forms[] = {
		{{0x48, 0x2b, 0x74, 0x24, 40}, SPROF_CFA_GO_C_CALL, 40},
		{{0x48, 0x2b, 0x34, 0x24}, SPROF_CFA_GO_C_CALL, 0},
		{{0x48, 0x8b, 0x74, 0x24, 40}, SPROF_CFA_GO_C_CALL_HERE, 40},
		{{0x48, 0x8b, 0x34, 0x24}, SPROF_CFA_GO_C_CALL_HERE, 0},
		{{0x48, 0x2b, 0x7c, 0x24, 40}, SPROF_CFA_SP, 0}, /* of another register */
		{{0x48, 0x2b, 0x74, 0x25, 40}, SPROF_CFA_SP, 0},
		{{0x90}, SPROF_CFA_SP, 0},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		for (uint64_t place = 0; place < 0x80; place++) {
			bool is_before = place <= 0x40 && 0x40 - place + 5 <= 48;
			struct sprof_cfi_row row =
				row_of_code(forms[i].code, sizeof(forms[i].code), place);

			assert_true(row.end == go_function_entry(GO_C_CALL) + place + 1);
			assert_int_equal(row.cfa_offset, 8);
			assert_int_equal(row.cfa, is_before ? forms[i].cfa : SPROF_CFA_SP);
			if (row.cfa == SPROF_CFA_SP)
				continue;
			assert_int_equal(row.fp_offset, forms[i].slot);
			assert_int_equal(row.fp, SPROF_REG_UNDEFINED);
		}
	}
}

static void the_code_of_go_1_19(void **state)
{
	const struct go_table_options options = {.format = GO_1_18};
	struct sprof_go_table *table = go_program_open(&options);
	struct sprof_cfi_row row = row_at(table, GO_C_CALL, 0x5f);

	assert_int_equal(row.cfa, SPROF_CFA_GO_C_CALL);
	assert_int_equal(row.fp_offset, 40);
	go_program_close(table);
}

/* With this as the function's first value, as the table has it. */
static struct sprof_cfi_row row_of_value(enum go_function which, const uint8_t *pair, size_t size)
{
	const struct go_table_options options = {.format = GO_1_20};
	struct sprof_go_function function;
	struct sprof_go_table *table;
	struct sprof_cfi_row row;
	struct go_tables tables;
	struct go_image made;
	uint64_t at;

	go_tables_make(&options, &tables);
	table = go_program_open(&options);
	assert_true(sprof_go_table_get(table, which, &function));
	at = table->values + function.sp_values;
	go_program_close(table);
	made = go_tables_image(&tables, &with_sections);
	go_image_put(&made, GO_TABLE_AT + at, pair, size);
	table = sprof_go_table_open(go_image_open(&made));
	assert_non_null(table);
	row = row_at(table, which, 0);
	go_program_close(table);
	return row;
}

static void values_that_no_frame_has(void **state)
{
	/* From -1 on: 2^31 - 8, 2^31 - 16, -8, -2, 3. */
	static const uint8_t largest[] = {0xf2, 0xff, 0xff, 0xff, 0x0f, 4};
	static const uint8_t large[] = {0xe2, 0xff, 0xff, 0xff, 0x0f, 4};
	static const uint8_t negative[] = {13, 4}, minus_two[] = {1, 4}, odd[] = {8, 4};

	assert_int_equal(row_of_value(GO_LEAF, largest, sizeof(largest)).cfa, SPROF_CFA_NONE);
	assert_int_equal(row_of_value(GO_LEAF, large, sizeof(large)).cfa, SPROF_CFA_SP);
	assert_int_equal(row_of_value(GO_LEAF, large, sizeof(large)).cfa_offset, INT32_MAX - 7);
	assert_int_equal(row_of_value(GO_LEAF, negative, sizeof(negative)).cfa, SPROF_CFA_NONE);
	assert_int_equal(row_of_value(GO_LEAF, minus_two, sizeof(minus_two)).cfa, SPROF_CFA_NONE);
	assert_int_equal(row_of_value(GO_LEAF, odd, sizeof(odd)).cfa, SPROF_CFA_NONE);
}

/* The stack ends there, whatever its frame is. */
static void a_root_without_a_frame(void **state)
{
	static const uint8_t negative[] = {13, 4};
	struct sprof_cfi_row row = row_of_value(GO_EXIT, negative, sizeof(negative));

	assert_int_equal(row.cfa, SPROF_CFA_SP);
	assert_int_equal(row.ra, SPROF_REG_UNDEFINED);
	assert_true(row.end == go_function_entry(GO_EXIT) + 1);
}

static void entries(void **state)
{
	const struct go_table_options options = {.format = GO_1_20};
	struct sprof_go_table *table = go_program_open(&options);

	assert_true(sprof_go_rows_is_entry(table, go_function_entry(GO_LEAF)));
	assert_true(sprof_go_rows_is_entry(table, go_function_entry(GO_NO_VALUES)));
	assert_false(sprof_go_rows_is_entry(table, go_function_entry(GO_LEAF) + 1));
	assert_false(sprof_go_rows_is_entry(table, go_function_entry(GO_FUNCTIONS)));
	assert_false(sprof_go_rows_is_entry(table, 0));
	go_program_close(table);
}

TEST_MAIN("go-rows")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames),
		cmocka_unit_test(where_the_table_says_nothing),
		cmocka_unit_test(roots),
		cmocka_unit_test(functions_that_nobody_calls),
		cmocka_unit_test(the_frame_of_a_signal),
		cmocka_unit_test(functions_that_change_stacks),
		cmocka_unit_test(the_wrapper_of_a_call_of_c),
		cmocka_unit_test(calls_of_c),
		cmocka_unit_test(the_code_of_go_1_19),
		cmocka_unit_test(values_that_no_frame_has),
		cmocka_unit_test(a_root_without_a_frame),
		cmocka_unit_test(entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
