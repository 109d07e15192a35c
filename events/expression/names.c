/*
 * Names in an expression: variables common to all events, and fields of this event. Does not handle
 * functions (functions.c).
 */
#include "events/expression/names.h"

#include <stdio.h>
#include <string.h>

/* characters of a name in a message */
enum { SHOWN = 64 };

static const struct {
	const char *name;
	enum sprof_expression_operation operation;
} variables[] = {
	{"_pid", SPROF_EXPRESSION_PID},
	{"_tid", SPROF_EXPRESSION_TID},
	{"_cpu", SPROF_EXPRESSION_CPU},
	{"common_pid", SPROF_EXPRESSION_TID},
};

static bool is_name(const struct sprof_token *token, const char *name)
{
	return strlen(name) == token->length && !memcmp(name, token->at, token->length);
}

static bool find_variable(const struct sprof_token *name, enum sprof_expression_operation *ret)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		*ret = variables[i].operation;
		if (is_name(name, variables[i].name))
			return true;
	}
	return false;
}

static void append_name(char *list, size_t size, const char *name)
{
	size_t length = strlen(list);

	snprintf(list + length, size - length, "%s, ", name);
}

static void hint_fields(const struct sprof_trace_scope *scope, struct sprof_error *err)
{
	char list[256] = "";
	const char *argument;

	if (scope->call && scope->row->type == SPROF_TRACE_SYS_ENTER) {
		for (size_t i = 0; (argument = sprof_trace_call_argument(scope->call, i)); i++)
			append_name(list, sizeof(list), argument);
	}
	for (size_t i = 0; i < scope->row->field_count; i++)
		append_name(list, sizeof(list), scope->row->fields[i].name);
	sprof_error_hint(err, "it has: %s_pid, _tid, _cpu", list);
}

static bool fail_unknown(const struct sprof_token *name, const struct sprof_trace_scope *scope,
	struct sprof_error *err)
{
	int length = name->length < SHOWN ? (int)name->length : SHOWN;
	char event[128];

	if (!scope)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"column %zu: '%.*s': how a key is printed can depend on 'key' only",
			name->column, length, name->at);
	sprof_trace_type_name(scope->row, scope->call, event, sizeof(event));
	sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: %s has no field '%.*s'", name->column,
		event, length, name->at);
	hint_fields(scope, err);
	return false;
}

/* The kernel's names for tids: "pid", "next_pid". */
static bool ends_with_pid(const char *name)
{
	const size_t length = strlen(name);

	return length >= 3 && !strcmp(name + length - 3, "pid");
}

bool sprof_expression_name_find(const struct sprof_token *name,
	const struct sprof_trace_scope *scope, struct sprof_expression_node *node,
	struct sprof_error *err)
{
	struct sprof_trace_field field;

	node->kind = SPROF_TRACE_INTEGER;
	if (!scope && is_name(name, "key")) {
		node->operation = SPROF_EXPRESSION_KEY;
		return true;
	}
	if (scope && find_variable(name, &node->operation))
		return true;
	if (!scope || !sprof_trace_scope_find(scope, name->at, name->length, &field))
		return fail_unknown(name, scope, err);
	node->operation = field.count > 1 ? SPROF_EXPRESSION_ELEMENT
		: field.is_int            ? SPROF_EXPRESSION_INT_FIELD
					  : SPROF_EXPRESSION_FIELD;
	node->kind = field.kind;
	node->number = field.index;
	node->count = field.count;
	node->is_tid = field.count <= 1 && ends_with_pid(field.name);
	return true;
}

static bool is_tid(const struct sprof_expression_node *node)
{
	return node->operation == SPROF_EXPRESSION_TID || node->operation == SPROF_EXPRESSION_PID ||
		node->is_tid;
}

bool sprof_expression_has_tid(const struct sprof_expression *expression)
{
	for (size_t i = 0; i < expression->count; i++) {
		if (is_tid(&expression->nodes[i]))
			return true;
	}
	return false;
}

bool sprof_expression_has_cpu(const struct sprof_expression *expression)
{
	for (size_t i = 0; i < expression->count; i++) {
		if (expression->nodes[i].operation == SPROF_EXPRESSION_CPU)
			return true;
	}
	return false;
}

bool sprof_expression_is_tid(const struct sprof_expression *expression)
{
	const struct sprof_expression_node *root = &expression->nodes[expression->root];

	return is_tid(root);
}
