/*
 * events/event-type and events/call-fields: the catalogue is whole, names and fields are found, and
 * copies of events stand alone.
 */
#include "events/event-type.h"

#include <stdlib.h>
#include <string.h>

#include "events/syscalls/fields.h"
#include "tests/unit/check.h"

static void every_type_has_its_row(void **state)
{
	for (unsigned type = 0; type < SPROF_TRACE_TYPES; type++) {
		const struct sprof_trace_type_row *row = sprof_trace_type_row(type);

		assert_int_equal(row->type, type);
		assert_int_equal(row->per_name, !strncmp(row->group ? row->group : "", "u", 1));
	}
}

/* The values of a row are numbered without a hole, so that the last field says how many they are. */
static void check_fields(const struct sprof_trace_type_row *row)
{
	/* The number of a function has no name. */
	unsigned values = row->fields[0].index;

	for (size_t i = 0; i < row->field_count; i++) {
		unsigned end = row->fields[i].index + row->fields[i].count;

		assert_true(row->fields[i].count && row->fields[i].index <= values);
		values = end > values ? end : values;
	}
	assert_true(row->fields[0].index <= 1 && values <= SPROF_TRACE_MAX_VALUES);
	assert_int_equal(values,
		row->fields[row->field_count - 1].index + row->fields[row->field_count - 1].count);
}

static void every_row_is_whole(void **state)
{
	size_t count;
	const struct sprof_trace_type_row *rows = sprof_trace_types(&count);

	assert_true(count > SPROF_TRACE_TYPES);
	for (size_t i = 0; i < count; i++) {
		char name[64];

		check_fields(&rows[i]);
		assert_true(rows[i].sources && rows[i].summary[0]);
		assert_non_null(sprof_trace_cost_name(rows[i].cost));
		for (unsigned bit = 1; bit <= rows[i].sources; bit <<= 1)
			assert_true(!(rows[i].sources & bit) || sprof_trace_source_name(bit));
		assert_true(sprof_trace_type_name(&rows[i], NULL, name, sizeof(name)) < 40);
	}
}

static const struct sprof_trace_type_row *row_of_calls(enum sprof_trace_type type)
{
	size_t count, i = 0;
	const struct sprof_trace_type_row *rows = sprof_trace_types(&count);

	while (rows[i].type != type || !rows[i].per_name)
		i++;
	return &rows[i];
}

static void names_of_events(void **state)
{
	const struct sprof_trace_type_row *row = row_of_calls(SPROF_TRACE_SYS_ENTER);
	char name[64];

	sprof_trace_type_name(row, "read", name, sizeof(name));
	assert_string_equal(name, "syscalls:sys_enter_read");
	sprof_trace_type_name(row, NULL, name, sizeof(name));
	assert_string_equal(name, "syscalls:sys_enter_*");
	row = sprof_trace_type_row(SPROF_TRACE_SYS_EXIT);
	sprof_trace_type_name(row, "read", name, sizeof(name));
	assert_string_equal(name, "raw_syscalls:sys_exit");
	row = sprof_trace_type_row(SPROF_TRACE_PROFILE);
	sprof_trace_type_name(row, NULL, name, sizeof(name));
	assert_string_equal(name, "profile");
}

static void arguments_of_calls_are_fields(void **state)
{
	struct sprof_trace_scope scope = {row_of_calls(SPROF_TRACE_SYS_ENTER), "sendto"};
	struct sprof_trace_field field;

	assert_true(sprof_trace_scope_find(&scope, "fdx", 2, &field));
	assert_int_equal(field.index, 1);
	assert_int_equal(field.count, 1);
	assert_true(sprof_trace_scope_find(&scope, "addr_len", 8, &field));
	assert_int_equal(field.index, 6);
	assert_true(sprof_trace_scope_find(&scope, "args", 4, &field));
	assert_int_equal(field.count, 6);
	assert_false(sprof_trace_scope_find(&scope, "count", 5, &field));
	assert_false(sprof_trace_scope_find(&scope, "addr_le", 7, &field));
	scope.row = row_of_calls(SPROF_TRACE_SYS_EXIT);
	assert_false(sprof_trace_scope_find(&scope, "fd", 2, &field));
	assert_true(sprof_trace_scope_find(&scope, "ret", 3, &field));
	assert_null(sprof_trace_call_argument("no such call", 0));
	assert_null(sprof_trace_call_argument("sendto", 6));
	assert_string_equal(sprof_trace_call_argument("sendto", 5), "addr_len");
}

static void a_copy_stands_alone(void **state)
{
	char long_text[300], other[] = "other";
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES] = {{.text = long_text},
		{.integer = 5}, {.integer = 6}, {.integer = 0}, {.text = other}, {.integer = 7},
		{.integer = -8}};
	struct sprof_trace_event event = {
		.time_ns = 9, .tid = 3, .type = SPROF_TRACE_SWITCH, .stack = 77, .fields = values};
	struct sprof_trace_event *copy;

	memset(long_text, 'x', sizeof(long_text));
	long_text[sizeof(long_text) - 1] = '\0';
	copy = sprof_trace_event_copy(&event);
	assert_non_null(copy);
	other[0] = 'X';
	memset(values, 0, sizeof(values));
	assert_int_equal(copy->time_ns, 9);
	assert_int_equal(copy->stack, 77);
	assert_int_equal(strlen(copy->fields[0].text), 255);
	assert_string_equal(copy->fields[4].text, "other");
	assert_int_equal(copy->fields[6].integer, -8);
	/* A copy of the copy takes as much. */
	assert_int_equal(sprof_trace_event_copy_size(copy),
		sizeof(event) + 7 * sizeof(values[0]) + 256 + sizeof("other"));
	free(copy);
}

TEST_MAIN("event-type")
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_has_its_row),
		cmocka_unit_test(every_row_is_whole),
		cmocka_unit_test(names_of_events),
		cmocka_unit_test(arguments_of_calls_are_fields),
		cmocka_unit_test(a_copy_stands_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
