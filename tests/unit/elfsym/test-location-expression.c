/*
 * elfsym/location-expression: operations on a made-up frame, and what can't be told.
 */
#include "elfsym/locals/location-expression.h"

#include <dwarf.h>
#include <string.h>

#include "elfsym/locals/value-place.h"
#include "tests/unit/check.h"

enum { BASE = 0x7000, WORDS = 8 };

static size_t read_memory(void *memory, uint64_t address, void *buffer, size_t size)
{
	if (address < BASE || address + size > BASE + WORDS * sizeof(uint64_t))
		return 0;
	memcpy(buffer, (uint8_t *)memory + (address - BASE), size);
	return size;
}

static struct sprof_place_of_value evaluate(const Dwarf_Op *ops, size_t count)
{
	static uint64_t memory[WORDS] = {0x1122334455667788, BASE + 16, 42};
	struct sprof_frame_machine machine = {
		.cfa = BASE + 8, .memory = memory, .read = read_memory};
	const struct sprof_location_expression expression = {.ops = ops, .count = count};

	sprof_frame_machine_set(&machine, 3, 300);
	sprof_frame_machine_set(&machine, 7, BASE);
	return sprof_location_expression_evaluate(
		&expression, &(struct sprof_dwarf_frame){.machine = &machine});
}

#define EVALUATE(...) \
	evaluate((const Dwarf_Op[]){__VA_ARGS__}, \
		sizeof((const Dwarf_Op[]){__VA_ARGS__}) / sizeof(Dwarf_Op))

static void check(struct sprof_place_of_value place, enum sprof_where where, uint64_t number)
{
	assert_int_equal(place.where, where);
	assert_int_equal(place.number, number);
}

static void test_places(void **state)
{
	check(EVALUATE({.atom = DW_OP_call_frame_cfa}), SPROF_WHERE_MEMORY, BASE + 8);
	check(EVALUATE({.atom = DW_OP_call_frame_cfa}, {.atom = DW_OP_plus_uconst, .number = 24}),
		SPROF_WHERE_MEMORY, BASE + 32);
	check(EVALUATE({.atom = DW_OP_breg7, .number = (uint64_t)-8}), SPROF_WHERE_MEMORY,
		BASE - 8);
	check(EVALUATE({.atom = DW_OP_bregx, .number = 3, .number2 = 5}), SPROF_WHERE_MEMORY, 305);
	check(EVALUATE({.atom = DW_OP_reg3}), SPROF_WHERE_VALUE, 300);
	check(EVALUATE({.atom = DW_OP_regx, .number = 7}), SPROF_WHERE_VALUE, BASE);
	check(EVALUATE({.atom = DW_OP_lit17}, {.atom = DW_OP_stack_value}), SPROF_WHERE_VALUE, 17);
	check(EVALUATE(
		      {.atom = DW_OP_const1s, .number = (uint64_t)-1}, {.atom = DW_OP_stack_value}),
		SPROF_WHERE_VALUE, UINT64_MAX);
	assert_int_equal(evaluate(NULL, 0).where, SPROF_WHERE_NOWHERE);
}

static void test_memory(void **state)
{
	check(EVALUATE({.atom = DW_OP_breg7, .number = 8}, {.atom = DW_OP_deref}),
		SPROF_WHERE_MEMORY, BASE + 16);
	check(EVALUATE({.atom = DW_OP_breg7}, {.atom = DW_OP_deref_size, .number = 2},
		      {.atom = DW_OP_stack_value}),
		SPROF_WHERE_VALUE, 0x7788);
	/* Beyond the memory, and of a size that no word has. */
	check(EVALUATE({.atom = DW_OP_reg3}, {.atom = DW_OP_deref}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_lit1}, {.atom = DW_OP_deref}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_breg7}, {.atom = DW_OP_deref_size, .number = 9}),
		SPROF_WHERE_UNKNOWN, 0);
}

static struct sprof_place_of_value evaluate_pieces(
	const Dwarf_Op *ops, size_t count, struct sprof_pieces *pieces)
{
	static uint64_t memory[WORDS] = {0x1122334455667788};
	struct sprof_frame_machine machine = {.memory = memory, .read = read_memory};
	const struct sprof_location_expression expression = {
		.ops = ops, .count = count, .pieces = pieces};

	sprof_frame_machine_set(&machine, 3, 0x0102030405060708);
	return sprof_location_expression_evaluate(
		&expression, &(struct sprof_dwarf_frame){.machine = &machine});
}

static void a_value_in_pieces(void **state)
{
	const Dwarf_Op ops[] = {{.atom = DW_OP_reg3}, {.atom = DW_OP_piece, .number = 4},
		{.atom = DW_OP_piece, .number = 2}, {.atom = DW_OP_constu, .number = BASE},
		{.atom = DW_OP_piece, .number = 2}, {.atom = DW_OP_reg9},
		{.atom = DW_OP_piece, .number = 1}};
	const uint8_t bytes[] = {8, 7, 6, 5, 0, 0, 0x88, 0x77, 0};
	const struct sprof_gap gaps[] = {
		[4] = {.nowhere = 0xff}, [5] = {.nowhere = 0xff}, [8] = {.unknown = 0xff}};
	struct sprof_pieces pieces;
	struct sprof_place_of_value place = evaluate_pieces(ops, 7, &pieces);

	assert_int_equal(place.where, SPROF_WHERE_BYTES);
	assert_int_equal(place.size, sizeof(bytes));
	assert_memory_equal(place.bytes, bytes, sizeof(bytes));
	assert_memory_equal(place.gaps, gaps, sizeof(gaps));
	/* Without storage, and with something behind the last piece. */
	assert_int_equal(evaluate_pieces(ops, 7, NULL).where, SPROF_WHERE_UNKNOWN);
	assert_int_equal(evaluate_pieces(ops, 6, &pieces).where, SPROF_WHERE_UNKNOWN);
	/* No piece is anywhere. */
	assert_int_equal(evaluate_pieces(&ops[2], 1, &pieces).where, SPROF_WHERE_NOWHERE);
}

static void a_value_in_bits(void **state)
{
	const Dwarf_Op ops[] = {{.atom = DW_OP_reg3},
		{.atom = DW_OP_bit_piece, .number = 4, .number2 = 0}, {.atom = DW_OP_reg3},
		{.atom = DW_OP_bit_piece, .number = 12, .number2 = 8}};
	struct sprof_pieces pieces;
	struct sprof_place_of_value place = evaluate_pieces(ops, 4, &pieces);

	assert_int_equal(place.size, 2);
	assert_int_equal(place.bytes[0], 0x78);
	assert_int_equal(place.bytes[1], 0x60);
}

/* What the bits beside it lack says nothing of a bit-field. */
static void bits_beside_gaps(void **state)
{
	const Dwarf_Op ops[] = {{.atom = DW_OP_reg3},
		{.atom = DW_OP_bit_piece, .number = 4, .number2 = 0},
		{.atom = DW_OP_bit_piece, .number = 7}, {.atom = DW_OP_reg3},
		{.atom = DW_OP_bit_piece, .number = 3, .number2 = 8}, {.atom = DW_OP_reg9},
		{.atom = DW_OP_bit_piece, .number = 2}};
	struct sprof_pieces pieces;
	struct sprof_place_of_value place = evaluate_pieces(ops, 7, &pieces);

	check(sprof_value_bits(NULL, &place, 0, 4), SPROF_WHERE_VALUE, 8);
	check(sprof_value_bits(NULL, &place, 11, 3), SPROF_WHERE_VALUE, 7);
	assert_int_equal(sprof_value_bits(NULL, &place, 3, 2).where, SPROF_WHERE_NOWHERE);
	assert_int_equal(sprof_value_bits(NULL, &place, 10, 2).where, SPROF_WHERE_NOWHERE);
	assert_int_equal(sprof_value_bits(NULL, &place, 13, 2).where, SPROF_WHERE_UNKNOWN);
	assert_int_equal(sprof_value_bits(NULL, &place, 16, 2).where, SPROF_WHERE_UNKNOWN);
}

static void too_large_pieces(void **state)
{
	const Dwarf_Op ops[] = {{.atom = DW_OP_reg3}, {.atom = DW_OP_piece, .number = UINT64_MAX}};
	struct sprof_pieces pieces;

	assert_int_equal(evaluate_pieces(ops, 2, &pieces).where, SPROF_WHERE_UNKNOWN);
}

static void jumps(void **state)
{
	/* A condition is 3 bytes, a literal 1. */
	check(EVALUATE({.atom = DW_OP_lit1, .offset = 0},
		      {.atom = DW_OP_bra, .number = 1, .offset = 1},
		      {.atom = DW_OP_lit7, .offset = 4}, {.atom = DW_OP_lit5, .offset = 5},
		      {.atom = DW_OP_stack_value, .offset = 6}),
		SPROF_WHERE_VALUE, 5);
	check(EVALUATE({.atom = DW_OP_lit9, .offset = 0}, {.atom = DW_OP_lit0, .offset = 1},
		      {.atom = DW_OP_bra, .number = 1, .offset = 2},
		      {.atom = DW_OP_lit7, .offset = 5}, {.atom = DW_OP_stack_value, .offset = 6}),
		SPROF_WHERE_VALUE, 7);
	/* For ever. */
	assert_int_equal(
		EVALUATE({.atom = DW_OP_skip, .number = (uint64_t)-3}).where, SPROF_WHERE_UNKNOWN);
}

static void a_pointer_that_is_not_there(void **state)
{
	assert_int_equal(EVALUATE({.atom = DW_OP_implicit_pointer}).where, SPROF_WHERE_NOWHERE);
}

static uint64_t of_two(uint8_t atom, uint64_t a, uint64_t b)
{
	struct sprof_place_of_value place = EVALUATE({.atom = DW_OP_constu, .number = a},
		{.atom = DW_OP_constu, .number = b}, {.atom = atom}, {.atom = DW_OP_stack_value});

	assert_int_equal(place.where, SPROF_WHERE_VALUE);
	return place.number;
}

static void test_two(void **state)
{
	assert_int_equal(of_two(DW_OP_plus, 7, 3), 10);
	assert_int_equal(of_two(DW_OP_minus, 7, 3), 4);
	assert_int_equal(of_two(DW_OP_mul, 7, 3), 21);
	assert_int_equal(of_two(DW_OP_and, 6, 3), 2);
	assert_int_equal(of_two(DW_OP_or, 6, 3), 7);
	assert_int_equal(of_two(DW_OP_xor, 6, 3), 5);
	assert_int_equal(of_two(DW_OP_shl, 6, 3), 48);
	assert_int_equal(of_two(DW_OP_shl, 6, 64), 0);
	assert_int_equal(of_two(DW_OP_shr, 48, 3), 6);
	assert_int_equal(of_two(DW_OP_shr, 48, 1000), 0);
	assert_int_equal(of_two(DW_OP_shra, (uint64_t)-48, 3), (uint64_t)-6);
	assert_int_equal(of_two(DW_OP_shra, (uint64_t)-48, 99), UINT64_MAX);
	assert_int_equal(of_two(DW_OP_lt, (uint64_t)-1, 1), 1);
	assert_int_equal(of_two(DW_OP_ge, (uint64_t)-1, 1), 0);
	assert_int_equal(of_two(DW_OP_eq, 4, 4), 1);
	assert_int_equal(of_two(DW_OP_over, 4, 5), 4);
	assert_int_equal(of_two(DW_OP_swap, 4, 5), 4);
	assert_int_equal(of_two(DW_OP_drop, 4, 5), 4);
}

static void test_untold(void **state)
{
	const Dwarf_Op one = {.atom = DW_OP_lit1};
	Dwarf_Op many[100];

	check(EVALUATE({.atom = DW_OP_reg4}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_breg4}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_regx, .number = 1000}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_fbreg, .number = 8}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_plus}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_lit1}, {.atom = DW_OP_plus}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_drop}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_pick, .number = 3}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_implicit_value}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_skip}), SPROF_WHERE_UNKNOWN, 0);
	check(EVALUATE({.atom = DW_OP_entry_value}), SPROF_WHERE_UNKNOWN, 0);
	/* Pieces: the register is only a part. */
	check(EVALUATE({.atom = DW_OP_reg3}, {.atom = DW_OP_piece, .number = 4}),
		SPROF_WHERE_UNKNOWN, 0);
	for (size_t i = 0; i < sizeof(many) / sizeof(many[0]); i++)
		many[i] = one;
	check(evaluate(many, sizeof(many) / sizeof(many[0])), SPROF_WHERE_UNKNOWN, 0);
}

TEST_MAIN("location-expression")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(a_value_in_pieces),
		cmocka_unit_test(a_value_in_bits),
		cmocka_unit_test(bits_beside_gaps),
		cmocka_unit_test(too_large_pieces),
		cmocka_unit_test(jumps),
		cmocka_unit_test(a_pointer_that_is_not_there),
		cmocka_unit_test(test_two),
		cmocka_unit_test(test_untold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
