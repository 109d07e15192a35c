/*
 * Expressions: the first byte chooses the event, the rest is the text. What is accepted has a value
 * for the smallest and the largest fields; what is refused names a column inside the text.
 */
#include <stdio.h>

#include "events/expression/expression.h"
#include "tests/fuzz/fuzz.h"

static const char *no_text(void *context, int64_t number)
{
	return number & 1 ? "odd" : NULL;
}

static void check_error(const struct sprof_error *err, size_t length)
{
	size_t column;

	if (err->kind == SPROF_ERROR_NO_MEMORY)
		return;
	fuzz_require(err->kind == SPROF_ERROR_USAGE);
	fuzz_require(sscanf(err->message, "column %zu: ", &column) == 1);
	fuzz_require(column >= 1 && column <= length + 1);
}

static void fill_values(
	const struct sprof_trace_type_row *row, int64_t number, struct sprof_trace_value *values)
{
	for (size_t i = 0; i < row->field_count; i++) {
		const struct sprof_trace_field *field = &row->fields[i];

		for (size_t j = 0; j < field->count; j++) {
			if (field->kind == SPROF_TRACE_TEXT)
				values[field->index + j].text = number < 0 ? "" : "worker/0";
			else
				values[field->index + j].integer = number;
		}
	}
}

static void check_integer(const struct sprof_expression *expression,
	const struct sprof_trace_type_row *row, struct sprof_expression_frame *frame)
{
	int64_t value = sprof_expression_integer(expression, frame);

	if (!row || (row->type != SPROF_TRACE_SYS_ENTER && row->type != SPROF_TRACE_SYS_EXIT))
		return;
	fuzz_require(!value ||
		sprof_expression_may_hold(
			expression, frame->event->fields[0].integer, frame->lookup));
}

static void evaluate(
	const struct sprof_expression *expression, const struct sprof_trace_type_row *row)
{
	static const int64_t numbers[] = {INT64_MIN, -1, 0, 1, 3, INT64_MAX};
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES] = {0};
	struct sprof_trace_event event = {.fields = values};
	struct sprof_expression_lookup lookup = {.syscall = no_text};
	char out[16];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct sprof_expression_frame frame = {.event = row ? &event : NULL,
			.lookup = &lookup,
			.key = numbers[i],
			.out = out,
			.out_size = sizeof(out)};

		if (row) {
			event.type = row->type;
			fill_values(row, numbers[i], values);
		}
		if (sprof_expression_kind(expression) == SPROF_TRACE_INTEGER)
			check_integer(expression, row, &frame);
		frame.out_length = 0;
		sprof_expression_print(expression, &frame);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct sprof_trace_scope scope = {.call = "sendto"};
	const struct sprof_trace_type_row *rows;
	struct sprof_expression_text text;
	struct sprof_expression *expression;
	struct sprof_error err;
	size_t count;
	char *copy;

	if (!size)
		return 0;
	rows = sprof_trace_types(&count);
	if (bytes[0] % (count + 1) < count)
		scope.row = &rows[bytes[0] % (count + 1)];
	copy = fuzz_text(bytes + 1, size - 1);
	text = (struct sprof_expression_text){copy, size - 1, 1};
	if (sprof_expression_create(&text, scope.row ? &scope : NULL, &expression, &err)) {
		evaluate(expression, scope.row);
		sprof_expression_destroy(expression);
	} else {
		check_error(&err, text.length);
	}
	free(copy);
	return 0;
}
