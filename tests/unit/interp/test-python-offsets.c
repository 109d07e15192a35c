/*
 * Offsets: the tables of the source against each other, and _Py_DebugOffsets with right, wrong and
 * hostile content.
 */
#include <string.h>

#include "interp/python/offsets.h"
#include "tests/unit/check.h"

enum { WORD = 8 };

static void put(uint8_t *bytes, unsigned position, uint64_t value)
{
	memcpy(bytes + (size_t)position * WORD, &value, sizeof(value));
}

/* The table of a 3.13, as far as it is used. */
static void make_table(uint8_t bytes[SPROF_PYTHON_DEBUG_BYTES])
{
	static const uint16_t words[][2] = {{5, 632}, {8, 7264}, {9, 7280}, {21, 8}, {23, 72},
		{25, 152}, {29, 8}, {30, 0}, {31, 56}, {32, 72}, {33, 70}, {35, 112}, {37, 128},
		{38, 136}, {39, 68}, {43, 208}, {45, 8}, {65, 16}, {66, 32}, {68, 32}, {69, 16},
		{70, 40}};

	memset(bytes, 0, SPROF_PYTHON_DEBUG_BYTES);
	memcpy(bytes, "xdebugpy", WORD);
	put(bytes, 1, 0x030d00f0);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		put(bytes, words[i][0], words[i][1]);
}

static void test_tables(void **state)
{
	for (uint32_t version = 0x0308; version <= 0x030c; version++) {
		const struct sprof_python_offsets *offsets = sprof_python_offsets_of(version);

		assert_non_null(offsets);
		assert_int_equal(offsets->version, version);
		assert_true(offsets->frame_previous + WORD <= offsets->frame_size);
		assert_true(offsets->frame_code + WORD <= offsets->frame_size);
		assert_true(offsets->frame_size <= SPROF_PYTHON_MOST_FRAME);
		assert_true(offsets->thread_id + WORD <= SPROF_PYTHON_MOST_STATE);
		assert_true(offsets->code_table + WORD <= SPROF_PYTHON_MOST_CODE);
		assert_true(offsets->ascii_data < offsets->wide_data);
	}
	assert_null(sprof_python_offsets_of(0x0307));
	assert_null(sprof_python_offsets_of(0x030d));
}

static void test_of_the_process(void **state)
{
	uint8_t bytes[SPROF_PYTHON_DEBUG_BYTES];
	struct sprof_python_offsets offsets;

	make_table(bytes);
	assert_true(sprof_python_offsets_parse(bytes, sizeof(bytes), &offsets));
	assert_int_equal(offsets.version, 0x030d);
	assert_int_equal(offsets.runtime_interpreters, 632);
	assert_int_equal(offsets.thread_frame, 72);
	assert_int_equal(offsets.frame_owner, 70);
	assert_int_equal(offsets.code_bytecode, 208);
	assert_int_equal(offsets.wide_data, 56);
}

/* 3.15 without a GIL: as python3.15t has it. */
static void test_copies_of_bytecode(void **state)
{
	static const uint16_t words[][2] = {{2, 1}, {5, 904}, {8, 7320}, {9, 7344}, {24, 8},
		{26, 72}, {27, 80}, {31, 176}, {40, 8}, {41, 0}, {42, 56}, {43, 80}, {44, 78},
		{46, 72}, {48, 136}, {50, 152}, {51, 160}, {52, 92}, {56, 240}, {57, 224}, {59, 24},
		{87, 32}, {88, 48}, {90, 48}, {91, 32}, {92, 56}};
	uint8_t bytes[SPROF_PYTHON_DEBUG_BYTES] = "xdebugpy";
	struct sprof_python_offsets offsets;

	put(bytes, 1, 0x030f00f0);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		put(bytes, words[i][0], words[i][1]);
	assert_true(sprof_python_offsets_parse(bytes, sizeof(bytes), &offsets));
	assert_int_equal(offsets.thread_base, 80);
	assert_int_equal(offsets.frame_copy, 72);
	assert_int_equal(offsets.code_copies, 224);
	assert_int_equal(offsets.text_kind, 8);
	put(bytes, 46, 77); /* behind what is read of a frame */
	assert_false(sprof_python_offsets_parse(bytes, sizeof(bytes), &offsets));
	assert_false(sprof_python_offsets_parse(bytes, sizeof(bytes) - WORD, &offsets));
}

static void test_no_such_table(void **state)
{
	uint8_t bytes[SPROF_PYTHON_DEBUG_BYTES];
	struct sprof_python_offsets offsets;

	make_table(bytes);
	for (size_t size = 0; size < 73 * WORD; size += WORD)
		assert_false(sprof_python_offsets_parse(bytes, size, &offsets));
	bytes[3]++;
	assert_false(sprof_python_offsets_parse(bytes, sizeof(bytes), &offsets));
	make_table(bytes);
	put(bytes, 1, 0x031000f0);
	assert_false(sprof_python_offsets_parse(bytes, sizeof(bytes), &offsets));
}

static void test_hostile_offsets(void **state)
{
	static const unsigned used[] = {
		5, 8, 9, 21, 23, 25, 29, 30, 31, 32, 33, 35, 37, 38, 39, 45, 65};
	uint8_t bytes[SPROF_PYTHON_DEBUG_BYTES];
	struct sprof_python_offsets offsets;

	for (size_t i = 0; i < sizeof(used) / sizeof(*used); i++) {
		make_table(bytes);
		put(bytes, used[i], UINT64_MAX);
		assert_false(sprof_python_offsets_parse(bytes, sizeof(bytes), &offsets));
	}
	make_table(bytes);
	put(bytes, 33, 72); /* the owner behind what is read of a frame */
	assert_false(sprof_python_offsets_parse(bytes, sizeof(bytes), &offsets));
	make_table(bytes);
	put(bytes, 45, 136); /* an object's type where a code object has its table of lines */
	assert_false(sprof_python_offsets_parse(bytes, sizeof(bytes), &offsets));
	put(bytes, 45, 128);
	assert_true(sprof_python_offsets_parse(bytes, sizeof(bytes), &offsets));
}

TEST_MAIN("python-offsets")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_of_the_process),
		cmocka_unit_test(test_copies_of_bytecode),
		cmocka_unit_test(test_no_such_table),
		cmocka_unit_test(test_hostile_offsets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
