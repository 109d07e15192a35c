/*
 * elfsym/code-table: which table an indirect jump goes by, and where its entries lead. A module of one segment, with
 * the function at its beginning and the table behind it.
 */
#include "unwind/code/table.h"

#include <string.h>

#include "tests/unit/check.h"

enum {
	ADDRESS = 0x401000,
	FUNCTION_SIZE = 0x100,
	TABLE_AT = 0x100,
	TABLE_SIZE = 0x40,
	TABLE = ADDRESS + TABLE_AT,
	SIZE = TABLE_AT + TABLE_SIZE,
	AX = 0,
	DX = 2,
	DI = 7,
	NO = SPROF_CODE_NO_REGISTER,
};

static const struct sprof_instruction by_register = {
	.effect = SPROF_EFFECT_JUMP_REGISTER, .from = AX, .to = NO, .index = NO};

static void apply(struct sprof_code_state *state, struct sprof_instruction one)
{
	sprof_code_state_apply(state, &one, 0);
}

/* lea TABLE(%rip), %rdx; movslq (%rdx,%rdi,4), %rax; add %rdx, %rax */
static struct sprof_code_state with_offsets(unsigned scale, unsigned size)
{
	struct sprof_code_state state;

	sprof_code_state_init(&state);
	apply(&state,
		(struct sprof_instruction){.effect = SPROF_EFFECT_SET,
			.to = DX,
			.from = NO,
			.index = NO,
			.value = TABLE,
			.changed = 1u << DX});
	apply(&state,
		(struct sprof_instruction){.effect = SPROF_EFFECT_LOAD,
			.to = AX,
			.from = DX,
			.index = DI,
			.scale = (uint8_t)scale,
			.size = (uint8_t)size,
			.changed = 1u << AX});
	apply(&state,
		(struct sprof_instruction){.effect = SPROF_EFFECT_ADD_REGISTER,
			.to = AX,
			.from = DX,
			.index = NO,
			.changed = 1u << AX});
	return state;
}

/* mov TABLE(,%rdi,8), %rax */
static struct sprof_code_state with_addresses(unsigned scale, unsigned size)
{
	struct sprof_code_state state;

	sprof_code_state_init(&state);
	apply(&state,
		(struct sprof_instruction){.effect = SPROF_EFFECT_LOAD,
			.to = AX,
			.from = NO,
			.index = DI,
			.scale = (uint8_t)scale,
			.size = (uint8_t)size,
			.value = TABLE,
			.changed = 1u << AX});
	return state;
}

static void expect_table(const struct sprof_code_state *state, const struct sprof_instruction *jump,
	unsigned size, unsigned count)
{
	struct sprof_code_table table;

	assert_true(sprof_code_table_find(state, jump, &table));
	assert_int_equal(table.address, TABLE);
	assert_int_equal(table.size, size);
	assert_int_equal(table.count, count);
}

static void expect_none(const struct sprof_code_state *state, const struct sprof_instruction *jump)
{
	struct sprof_code_table table;

	assert_false(sprof_code_table_find(state, jump, &table));
}

static void tables_of_jumps(void **unused)
{
	const struct sprof_instruction by_memory = {.effect = SPROF_EFFECT_JUMP_MEMORY,
		.from = NO,
		.to = NO,
		.index = DI,
		.scale = 8,
		.value = TABLE};
	struct sprof_code_state state = with_offsets(4, 4);

	expect_table(&state, &by_register, 4, 0);
	state.bound = 7;
	expect_table(&state, &by_register, 4, 7);
	state = with_addresses(8, 8);
	expect_table(&state, &by_register, 8, 0);
	sprof_code_state_init(&state);
	expect_table(&state, &by_memory, 8, 0);
}

static void jumps_without_a_table(void **unused)
{
	struct sprof_instruction jump = {.effect = SPROF_EFFECT_JUMP_MEMORY,
		.from = NO,
		.to = NO,
		.index = NO,
		.value = TABLE};
	struct sprof_code_state state;

	sprof_code_state_init(&state);
	expect_none(&state, &by_register);
	/* jmp *TABLE: one address, as of an imported function. */
	expect_none(&state, &jump);
	jump.index = DI;
	jump.scale = 4;
	expect_none(&state, &jump);
	jump.scale = 8;
	jump.from = DX;
	expect_none(&state, &jump);
	/* Entries that are as large as they lie apart, and of four or eight bytes. */
	state = with_offsets(8, 4);
	expect_none(&state, &by_register);
	state = with_offsets(2, 2);
	expect_none(&state, &by_register);
	state = with_offsets(8, 8);
	expect_none(&state, &by_register);
	/* An offset that nothing was added to. */
	state = with_addresses(4, 4);
	expect_none(&state, &by_register);
}

/* The module's bytes. */
struct module {
	uint8_t bytes[SIZE];
	struct sprof_segment segment;
	struct sprof_image image;
	struct sprof_code code;
};

static void make_module(struct module *module, const void *table, size_t size)
{
	*module = (struct module){0};
	memcpy(module->bytes + TABLE_AT, table, size);
	module->segment = (struct sprof_segment){
		.address = ADDRESS, .file_size = SIZE, .memory_size = SIZE, .executable = true};
	module->image = (struct sprof_image){.bytes = module->bytes,
		.size = SIZE,
		.segments = &module->segment,
		.segment_count = 1};
	module->code = (struct sprof_code){.bytes = module->bytes,
		.size = FUNCTION_SIZE,
		.address = ADDRESS,
		.image = &module->image};
}

static void expect_target(const struct module *module, const struct sprof_code_table *table,
	uint32_t index, uint32_t offset)
{
	uint32_t found = UINT32_MAX;

	assert_true(sprof_code_table_at(table, &module->code, index, &found));
	assert_int_equal(found, offset);
}

static void expect_no_target(
	const struct module *module, const struct sprof_code_table *table, uint32_t index)
{
	uint32_t found;

	assert_false(sprof_code_table_at(table, &module->code, index, &found));
}

static void entries_that_are_offsets(void **unused)
{
	static const int32_t entries[] = {-0x100, -0xf0, -1, 0, -0x101, INT32_MAX, INT32_MIN};
	struct sprof_code_table table = {.address = TABLE, .size = 4};
	struct module module;

	make_module(&module, entries, sizeof(entries));
	expect_target(&module, &table, 0, 0);
	expect_target(&module, &table, 1, 0x10);
	expect_target(&module, &table, 2, 0xff);
	for (uint32_t i = 3; i < sizeof(entries) / sizeof(*entries); i++)
		expect_no_target(&module, &table, i);
	table.count = 2;
	expect_target(&module, &table, 1, 0x10);
	expect_no_target(&module, &table, 2);
}

static void entries_that_are_addresses(void **unused)
{
	static const uint64_t entries[] = {
		ADDRESS, ADDRESS + 0xff, ADDRESS + 0x100, ADDRESS - 1, 0, UINT64_MAX};
	const struct sprof_code_table table = {.address = TABLE, .size = 8};
	struct module module;

	make_module(&module, entries, sizeof(entries));
	expect_target(&module, &table, 0, 0);
	expect_target(&module, &table, 1, 0xff);
	for (uint32_t i = 2; i < sizeof(entries) / sizeof(*entries); i++)
		expect_no_target(&module, &table, i);
}

static void tables_that_are_not_there(void **unused)
{
	static const int32_t entry = -0x100;
	struct sprof_code_table table = {.address = TABLE + TABLE_SIZE - 3, .size = 4};
	struct module module;

	make_module(&module, &entry, sizeof(entry));
	expect_no_target(&module, &table, 0);
	table.address = 0;
	expect_no_target(&module, &table, 0);
	table.address = UINT64_MAX;
	expect_no_target(&module, &table, 0);
	expect_no_target(&module, &table, UINT32_MAX);
	table.address = TABLE;
	expect_target(&module, &table, 0, 0);
	module.code.image = NULL;
	expect_no_target(&module, &table, 0);
}

TEST_MAIN("code-table")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_of_jumps),
		cmocka_unit_test(jumps_without_a_table),
		cmocka_unit_test(entries_that_are_offsets),
		cmocka_unit_test(entries_that_are_addresses),
		cmocka_unit_test(tables_that_are_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
