/*
 * elfsym/go-runtime: what instructions of the runtime tell of its structures, and those that tell nothing.
 */
#include "elfsym/go/runtime.h"

#include "tests/unit/check.h"
#include "tests/unit/elfsym/go-tables.h"

static const struct go_image_options with_sections = {.section = ".gopclntab"};

/* A runtime with this code in systemstack, and this in nanotime1. */
static bool find(const uint8_t *system_stack, size_t system_size, const uint8_t *nanotime,
	size_t nanotime_size, struct sprof_go_runtime *ret)
{
	static const uint8_t nothing[0x80], compare_signal_g[] = {0x48, 0x3b, 0x43, 0x50};
	const struct go_table_options options = {.format = GO_1_20};
	struct sprof_go_table *table;
	struct go_tables tables;
	struct go_image made;
	bool found;

	go_tables_make(&options, &tables);
	made = go_tables_image(&tables, &with_sections);
	go_image_put(&made, go_function_entry(GO_SYSTEM_STACK) - GO_BASE, nothing, sizeof(nothing));
	go_image_put(
		&made, go_function_entry(GO_SYSTEM_STACK) - GO_BASE, system_stack, system_size);
	go_image_put(&made, go_function_entry(GO_SYSTEM_STACK) - GO_BASE + 0x40, compare_signal_g,
		sizeof(compare_signal_g));
	go_image_put(&made, go_function_entry(GO_NANOTIME) - GO_BASE, nothing, sizeof(nothing));
	go_image_put(&made, go_function_entry(GO_NANOTIME) - GO_BASE, nanotime, nanotime_size);
	table = sprof_go_table_open(go_image_open(&made));
	assert_non_null(table);
	found = sprof_go_runtime_find(table, ret);
	go_program_close(table);
	return found;
}

static void in_each_format(void **state)
{
	for (int format = 0; format < GO_FORMATS; format++) {
		const struct go_table_options options = {.format = (enum go_format)format};
		struct sprof_go_table *table = go_program_open(&options);
		struct sprof_go_runtime runtime;

		assert_true(sprof_go_runtime_find(table, &runtime));
		assert_int_equal(runtime.g, -8);
		assert_int_equal(runtime.current_g, 0xc0);
		assert_int_equal(runtime.vdso_sp, 0x330);
		assert_int_equal(runtime.thread_id, 0x48);
		go_program_close(table);
	}
}

/* Position-independent code has the place in a register. */
static void the_two_ways_to_g(void **state)
{
	uint8_t indirect[] = {0x48, 0xc7, 0xc1, 0xf0, 0xff, 0xff, 0xff, 0x64, 0x48, 0x8b, 0x01,
		0x48, 0x3b, 0x83, 0xb8, 0, 0, 0};
	static const uint8_t constant_only[] = {
		0x48, 0xc7, 0xc1, 0xf0, 0xff, 0xff, 0xff, 0x48, 0x3b, 0x83, 0xb8, 0, 0, 0};
	struct sprof_go_runtime runtime;

	assert_true(find(indirect, sizeof(indirect), NULL, 0, &runtime));
	assert_int_equal(runtime.g, -16);
	assert_int_equal(runtime.current_g, 0xb8);
	assert_false(find(constant_only, sizeof(constant_only), NULL, 0, &runtime));
	indirect[6] = 0x7f;
	assert_false(find(indirect, sizeof(indirect), NULL, 0, &runtime));
	memset(indirect + 3, 0, 4);
	assert_false(find(indirect, sizeof(indirect), NULL, 0, &runtime));
}

static void places_that_make_no_sense(void **state)
{
	static const int32_t bad_g[] = {0, 8, INT32_MAX};
	static const int32_t bad_current[] = {0, -8, 0x1001, INT32_MAX, INT32_MIN};
	uint8_t code[] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff, 0x48, 0x3b, 0x83,
		0xc0, 0, 0, 0};
	struct sprof_go_runtime runtime;

	for (size_t i = 0; i < sizeof(bad_current) / sizeof(bad_current[0]); i++) {
		memcpy(code + 12, &bad_current[i], 4);
		assert_false(find(code, sizeof(code), NULL, 0, &runtime));
	}
	memcpy(code + 12, &(int32_t){0x1000}, 4);
	assert_true(find(code, sizeof(code), NULL, 0, &runtime));
	for (size_t i = 0; i < sizeof(bad_g) / sizeof(bad_g[0]); i++) {
		memcpy(code + 5, &bad_g[i], 4);
		assert_false(find(code, sizeof(code), NULL, 0, &runtime));
	}
}

/* Without it time is not known to be asked for, and the rest is as it is. */
static void the_vdso_may_be_unknown(void **state)
{
	static const uint8_t code[] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff, 0x48,
		0x3b, 0x83, 0xc0, 0, 0, 0};
	uint8_t store[] = {0x48, 0x89, 0x93, 0x30, 3, 0, 0};
	struct sprof_go_runtime runtime;

	assert_true(find(code, sizeof(code), store, sizeof(store), &runtime));
	assert_int_equal(runtime.vdso_sp, 0x330);
	assert_true(find(code, sizeof(code), NULL, 0, &runtime));
	assert_int_equal(runtime.vdso_sp, 0);
	store[5] = 1;
	assert_true(find(code, sizeof(code), store, sizeof(store), &runtime));
	assert_int_equal(runtime.vdso_sp, 0);
	store[5] = 0;
	store[6] = 0x80;
	assert_true(find(code, sizeof(code), store, sizeof(store), &runtime));
	assert_int_equal(runtime.vdso_sp, 0);
}

static void code_that_ends_in_the_middle(void **state)
{
	uint8_t code[0x80] = {0x64, 0x48, 0x8b, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff};
	struct sprof_go_runtime runtime;

	memcpy(code + 0x80 - 6, (uint8_t[]){0x48, 0x3b, 0x83, 0xc0, 0, 0}, 6);
	assert_false(find(code, sizeof(code), NULL, 0, &runtime));
	memcpy(code + 0x80 - 7, (uint8_t[]){0x48, 0x3b, 0x83, 0xc0, 0, 0, 0}, 7);
	assert_true(find(code, sizeof(code), NULL, 0, &runtime));
	assert_false(find(NULL, 0, NULL, 0, &runtime));
	assert_true(!runtime.current_g && !runtime.vdso_sp);
}

/* A table whose only systemstack sets no sp, as if it were another program's function. */
static void no_such_function(void **state)
{
	const struct go_table_options options = {.format = GO_1_20};
	struct sprof_go_table *table;
	struct sprof_go_runtime runtime;
	struct go_tables tables;
	char *name;

	go_tables_make(&options, &tables);
	name = memmem(tables.bytes, tables.size, "runtime.systemstack", 19);
	assert_non_null(name);
	name[0] = 'R';
	table = sprof_go_table_open(go_tables_open(&tables, &with_sections));
	assert_non_null(table);
	assert_false(sprof_go_runtime_find(table, &runtime));
	go_program_close(table);
}

TEST_MAIN("go-runtime")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_each_format),
		cmocka_unit_test(the_two_ways_to_g),
		cmocka_unit_test(places_that_make_no_sense),
		cmocka_unit_test(the_vdso_may_be_unknown),
		cmocka_unit_test(code_that_ends_in_the_middle),
		cmocka_unit_test(no_such_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
