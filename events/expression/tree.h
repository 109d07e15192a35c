/*
 * A parsed expression: its nodes, each with the kind of its value. Private to events/expression/.
 */
#pragma once

#include "events/expression/expression.h"

enum sprof_expression_operation {
	SPROF_EXPRESSION_NUMBER,
	SPROF_EXPRESSION_LITERAL,   /* a text literal */
	SPROF_EXPRESSION_FIELD,     /* the event's value `number` */
	SPROF_EXPRESSION_INT_FIELD, /* the same; low 32 bits, sign-extended */
	/* element [operand] of an array of `count` values that begins at value `number` */
	SPROF_EXPRESSION_ELEMENT,
	SPROF_EXPRESSION_PID,
	SPROF_EXPRESSION_TID,
	SPROF_EXPRESSION_CPU,
	SPROF_EXPRESSION_KEY,

	SPROF_EXPRESSION_NEGATE,
	SPROF_EXPRESSION_NOT,
	SPROF_EXPRESSION_INVERT,
	SPROF_EXPRESSION_CAST, /* truncation to `number` bits; sign-extended if negative */

	SPROF_EXPRESSION_MULTIPLY,
	SPROF_EXPRESSION_DIVIDE,
	SPROF_EXPRESSION_REMAINDER,
	SPROF_EXPRESSION_ADD,
	SPROF_EXPRESSION_SUBTRACT,
	SPROF_EXPRESSION_SHIFT_LEFT,
	SPROF_EXPRESSION_SHIFT_RIGHT,
	SPROF_EXPRESSION_LESS,
	SPROF_EXPRESSION_LESS_EQUAL,
	SPROF_EXPRESSION_GREATER,
	SPROF_EXPRESSION_GREATER_EQUAL,
	SPROF_EXPRESSION_EQUAL,
	SPROF_EXPRESSION_NOT_EQUAL,
	SPROF_EXPRESSION_BIT_AND,
	SPROF_EXPRESSION_BIT_XOR,
	SPROF_EXPRESSION_BIT_OR,
	SPROF_EXPRESSION_TEXT_EQUAL,
	SPROF_EXPRESSION_TEXT_NOT_EQUAL,
	SPROF_EXPRESSION_GLOB,

	SPROF_EXPRESSION_AND,
	SPROF_EXPRESSION_OR,
	SPROF_EXPRESSION_CONDITION, /* operands: condition, then, else */
	SPROF_EXPRESSION_COMMA,

	SPROF_EXPRESSION_COMM_GET,
	SPROF_EXPRESSION_SYSCALL_NAME,
	SPROF_EXPRESSION_SYM,
	SPROF_EXPRESSION_PRINTF,   /* `text`: the format; operand: the first argument */
	SPROF_EXPRESSION_ARGUMENT, /* operands: the value, the next argument */
};

#define SPROF_EXPRESSION_NO_NODE UINT32_MAX

struct sprof_expression_node {
	enum sprof_expression_operation operation;
	enum sprof_trace_kind kind;
	uint32_t operands[3]; /* indices of nodes */
	uint32_t count;
	int64_t number;
	const char *text;
	bool is_tid; /* FIELD: contains a tid or a pid */
};

struct sprof_expression {
	struct sprof_expression_node *nodes;
	size_t count, capacity;
	uint32_t root;
	char *texts; /* storage for literals */
};

struct sprof_trace_value sprof_expression_evaluate(const struct sprof_expression *expression,
	uint32_t index, struct sprof_expression_frame *frame);
