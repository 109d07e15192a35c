/*
 * events/tracepoint-format: fields are found by name, and read from samples.
 */
#include "events/recorded/tracepoint-format.h"

#include "tests/unit/check.h"

/* As Linux 6.18 has it. */
static const char format[] =
	"name: sched_switch\n"
	"ID: 315\n"
	"format:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\n"
	"print fmt: \"prev_pid=%d field:int fake; offset:1;\", REC->prev_pid\n";

static void finds_fields(void **state)
{
	static const struct {
		const char *name;
		struct sprof_tracepoint_field field;
	} cases[] = {
		{"common_type", {0, 2, false}},
		{"common_pid", {4, 4, true}},
		{"prev_pid", {24, 4, true}},
		{"prev_state", {32, 8, true}},
		{"name", {40, 4, false}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sprof_tracepoint_field field;

		assert_true(sprof_tracepoint_format_find(format, cases[i].name, &field));
		assert_int_equal(field.offset, cases[i].field.offset);
		assert_int_equal(field.size, cases[i].field.size);
		assert_int_equal(field.is_signed, cases[i].field.is_signed);
	}
}

static void refuses_what_is_no_number(void **state)
{
	static const char *const names[] = {
		"prev_comm", "prev_comm[16]", "pid", "prev", "fake", "", "common", "ID"};
	struct sprof_tracepoint_field field;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_false(sprof_tracepoint_format_find(format, names[i], &field));
}

static void finds_arrays(void **state)
{
	static const char calls[] =
		"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n";
	struct sprof_tracepoint_field field;

	assert_true(sprof_tracepoint_format_find_elements(calls, "args", 6, &field));
	assert_int_equal(field.offset, 16);
	assert_int_equal(field.size, 8);
	assert_true(sprof_tracepoint_format_find_elements(format, "prev_comm", 16, &field));
	assert_int_equal(field.offset, 8);
	assert_int_equal(field.size, 1);
	assert_true(sprof_tracepoint_format_find_elements(calls, "id", 1, &field));
	assert_false(sprof_tracepoint_format_find_elements(calls, "args", 5, &field));
	assert_false(sprof_tracepoint_format_find_elements(calls, "id", 2, &field));
}

static void refuses_damaged_lines(void **state)
{
	static const char *const lines[] = {"field:int a", "field:int a;", "field:int a; offset:4;",
		"field:int a; size:4;", "field:int a; offset:x; size:4;",
		"field:int a; offset:70000; size:4;", "field:int a; offset:0; size:3;",
		"field:int a; offset:0; size:0;", "field:a; offset:0"};
	struct sprof_tracepoint_field field;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(sprof_tracepoint_format_find(lines[i], "a", &field));
}

static void reads_values(void **state)
{
	static const unsigned char raw[] = {0xfe, 0xff, 0xff, 0xff, 1, 2, 0, 0, 0, 0, 0, 0x80};
	static const struct {
		struct sprof_tracepoint_field field;
		int64_t value;
	} cases[] = {
		{{0, 1, false}, 0xfe},
		{{0, 1, true}, -2},
		{{0, 2, false}, 0xfffe},
		{{0, 4, true}, -2},
		{{0, 4, false}, 0xfffffffe},
		{{4, 2, true}, 0x0201},
		{{4, 8, true}, INT64_MIN + 0x0201},
	};
	int64_t value;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(sprof_tracepoint_field_read(&cases[i].field, raw, sizeof(raw), &value));
		assert_true(value == cases[i].value);
	}
}

static void a_short_sample_has_no_value(void **state)
{
	static const unsigned char raw[8];
	static const struct sprof_tracepoint_field fields[] = {
		{8, 1, false}, {5, 4, false}, {1, 8, false}, {UINT32_MAX, 4, false}};
	int64_t value;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		assert_false(sprof_tracepoint_field_read(&fields[i], raw, sizeof(raw), &value));
}

TEST_MAIN("tracepoint-format")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_fields),
		cmocka_unit_test(finds_arrays),
		cmocka_unit_test(refuses_what_is_no_number),
		cmocka_unit_test(refuses_damaged_lines),
		cmocka_unit_test(reads_values),
		cmocka_unit_test(a_short_sample_has_no_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
