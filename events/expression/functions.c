/*
 * The table of functions. Arguments are checked when the expression is parsed, those of printf()
 * against its format, which must be a literal.
 */
#include "events/expression/functions.h"

#include <string.h>

#include "events/expression/format.h"

static const struct {
	const char *name;
	enum sprof_expression_operation operation;
	enum sprof_trace_kind kind;
} functions[] = {
	{"comm_get", SPROF_EXPRESSION_COMM_GET, SPROF_TRACE_TEXT},
	{"syscall_name", SPROF_EXPRESSION_SYSCALL_NAME, SPROF_TRACE_TEXT},
	{"sym", SPROF_EXPRESSION_SYM, SPROF_TRACE_TEXT},
	{"printf", SPROF_EXPRESSION_PRINTF, SPROF_TRACE_INTEGER},
};

static bool fail_at(struct sprof_error *err, int64_t column, const char *message)
{
	return sprof_error_set(
		err, SPROF_ERROR_USAGE, "column %lld: %s", (long long)column, message);
}

bool sprof_expression_function_find(const struct sprof_token *name, bool prints,
	struct sprof_expression_node *node, struct sprof_error *err)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strlen(functions[i].name) != name->length ||
			memcmp(functions[i].name, name->at, name->length))
			continue;
		if (functions[i].operation == SPROF_EXPRESSION_PRINTF && !prints)
			return fail_at(err, (int64_t)name->column, "printf() is only for printkey");
		node->operation = functions[i].operation;
		node->kind = functions[i].kind;
		return true;
	}
	sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: there is no function %.*s()",
		name->column, name->length < 64 ? (int)name->length : 64, name->at);
	sprof_error_hint(err,
		"the functions are comm_get(TID), syscall_name(NUMBER), sym(ADDRESS) "
		"and, in printkey, printf(FORMAT, ...)");
	return false;
}

static const struct sprof_expression_node *value_of(
	const struct sprof_expression *expression, uint32_t argument)
{
	return &expression->nodes[expression->nodes[argument].operands[0]];
}

/* Compares the format with the arguments that follow it. */
static bool check_format(const struct sprof_expression *expression, const char *format,
	uint32_t format_argument, struct sprof_error *err)
{
	const struct sprof_expression_node *nodes = expression->nodes;
	uint32_t argument = nodes[format_argument].operands[1];
	int64_t column = nodes[format_argument].number;
	struct sprof_conversion conversion;

	for (;;) {
		enum sprof_trace_kind kind;

		if (!sprof_conversion_next(&format, NULL, &conversion))
			return fail_at(err, column,
				"the format has a % that is none of %d %i %u %x %X %o %c %p %s %%");
		if (!conversion.conversion)
			break;
		if (argument == SPROF_EXPRESSION_NO_NODE)
			return fail_at(err, column, "the format wants more values than there are");
		kind = conversion.conversion == 's' ? SPROF_TRACE_TEXT : SPROF_TRACE_INTEGER;
		if (value_of(expression, argument)->kind != kind)
			return fail_at(err, nodes[argument].number,
				kind == SPROF_TRACE_TEXT ? "the format wants a text here"
							 : "the format wants a number here");
		argument = nodes[argument].operands[1];
	}
	if (argument != SPROF_EXPRESSION_NO_NODE)
		return fail_at(
			err, nodes[argument].number, "the format has no place for this value");
	return true;
}

static bool check_printf(const struct sprof_expression *expression, const struct sprof_token *name,
	uint32_t first, struct sprof_expression_node *node, struct sprof_error *err)
{
	const struct sprof_expression_node *format;

	if (first == SPROF_EXPRESSION_NO_NODE)
		return fail_at(err, (int64_t)name->column, "printf() wants a format");
	format = value_of(expression, first);
	if (format->operation != SPROF_EXPRESSION_LITERAL)
		return fail_at(err, expression->nodes[first].number,
			"the format of printf() is a text in double quotes");
	node->text = format->text;
	node->operands[0] = expression->nodes[first].operands[1];
	return check_format(expression, format->text, first, err);
}

bool sprof_expression_function_check(const struct sprof_expression *expression,
	const struct sprof_token *name, uint32_t first, struct sprof_expression_node *node,
	struct sprof_error *err)
{
	if (node->operation == SPROF_EXPRESSION_PRINTF)
		return check_printf(expression, name, first, node, err);
	if (first == SPROF_EXPRESSION_NO_NODE)
		return fail_at(err, (int64_t)name->column, "this function wants one value");
	if (expression->nodes[first].operands[1] != SPROF_EXPRESSION_NO_NODE)
		return fail_at(err, expression->nodes[expression->nodes[first].operands[1]].number,
			"the function wants one value only");
	if (value_of(expression, first)->kind != SPROF_TRACE_INTEGER)
		return fail_at(err, expression->nodes[first].number,
			"the function wants a number, and this is a text");
	node->operands[0] = expression->nodes[first].operands[0];
	return true;
}
