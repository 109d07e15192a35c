/*
 * Parses text into a tree by precedence climbing, and checks types on the way: operands are typed
 * before their operator. Checks values only where they are numbers in the text: a division by a
 * field that is 0 gives 0.
 */
#include "events/expression/expression.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "events/expression/functions.h"
#include "events/expression/lexer.h"
#include "events/expression/names.h"
#include "events/expression/tree.h"

/* Both bound the recursion: of the parser, and of the evaluation of a chain like 1+1+1... */
enum { MAX_DEPTH = 64, MAX_LENGTH = 4096 };

struct parser {
	struct sprof_lexer lexer;
	const struct sprof_trace_scope *scope; /* NULL: a key's expression */
	struct sprof_expression *expression;
	struct sprof_error *err;
	unsigned depth;
};

/* An operator's operand and result types. */
enum shape {
	INTEGERS,  /* two integers, gives one */
	EQUALITY,  /* two integers or two texts */
	TEXT_ONLY, /* two texts */
};

static const struct binary {
	int token;
	unsigned level; /* a higher one binds more tightly */
	enum sprof_expression_operation operation;
	enum shape shape;
} binaries[] = {
	{'*', 10, SPROF_EXPRESSION_MULTIPLY, INTEGERS},
	{'/', 10, SPROF_EXPRESSION_DIVIDE, INTEGERS},
	{'%', 10, SPROF_EXPRESSION_REMAINDER, INTEGERS},
	{'+', 9, SPROF_EXPRESSION_ADD, INTEGERS},
	{'-', 9, SPROF_EXPRESSION_SUBTRACT, INTEGERS},
	{SPROF_TOKEN_SHIFT_LEFT, 8, SPROF_EXPRESSION_SHIFT_LEFT, INTEGERS},
	{SPROF_TOKEN_SHIFT_RIGHT, 8, SPROF_EXPRESSION_SHIFT_RIGHT, INTEGERS},
	{'<', 7, SPROF_EXPRESSION_LESS, INTEGERS},
	{SPROF_TOKEN_LESS_EQUAL, 7, SPROF_EXPRESSION_LESS_EQUAL, INTEGERS},
	{'>', 7, SPROF_EXPRESSION_GREATER, INTEGERS},
	{SPROF_TOKEN_GREATER_EQUAL, 7, SPROF_EXPRESSION_GREATER_EQUAL, INTEGERS},
	{'~', 7, SPROF_EXPRESSION_GLOB, TEXT_ONLY},
	{SPROF_TOKEN_EQUAL, 6, SPROF_EXPRESSION_EQUAL, EQUALITY},
	{SPROF_TOKEN_NOT_EQUAL, 6, SPROF_EXPRESSION_NOT_EQUAL, EQUALITY},
	{'&', 5, SPROF_EXPRESSION_BIT_AND, INTEGERS},
	{'^', 4, SPROF_EXPRESSION_BIT_XOR, INTEGERS},
	{'|', 3, SPROF_EXPRESSION_BIT_OR, INTEGERS},
	{SPROF_TOKEN_AND, 2, SPROF_EXPRESSION_AND, INTEGERS},
	{SPROF_TOKEN_OR, 1, SPROF_EXPRESSION_OR, INTEGERS},
};

static bool parse_condition(struct parser *parser, uint32_t *ret);
static bool parse_unary(struct parser *parser, uint32_t *ret);

static bool next(struct parser *parser)
{
	return sprof_lexer_next(&parser->lexer, parser->err);
}

static bool at_token(const struct parser *parser, int kind)
{
	return parser->lexer.token.kind == kind;
}

static bool fail_at(struct parser *parser, size_t column, const char *message)
{
	return sprof_error_set(parser->err, SPROF_ERROR_USAGE, "column %zu: %s", column, message);
}

static bool fail(struct parser *parser, const char *message)
{
	return fail_at(parser, parser->lexer.token.column, message);
}

/* Past a token that must stand here. */
static bool expect(struct parser *parser, int kind, const char *message)
{
	if (!at_token(parser, kind))
		return fail(parser, message);
	return next(parser);
}

static bool name_is(const struct sprof_token *token, const char *name)
{
	return token->kind == SPROF_TOKEN_NAME && strlen(name) == token->length &&
		!memcmp(name, token->at, token->length);
}

static bool append(struct parser *parser, const struct sprof_expression_node *node, uint32_t *ret)
{
	struct sprof_expression *expression = parser->expression;

	if (!sprof_array_reserve(&expression->nodes, &expression->capacity, expression->count + 1,
		    sizeof(expression->nodes[0])))
		return sprof_error_no_memory(parser->err);
	expression->nodes[expression->count] = *node;
	*ret = (uint32_t)expression->count++;
	return true;
}

static const struct sprof_expression_node *node_at(const struct parser *parser, uint32_t index)
{
	return &parser->expression->nodes[index];
}

static bool is_text(const struct parser *parser, uint32_t index)
{
	return node_at(parser, index)->kind == SPROF_TRACE_TEXT;
}

static bool append_operation(struct parser *parser, enum sprof_expression_operation operation,
	uint32_t left, uint32_t right, uint32_t *ret)
{
	return append(parser,
		&(struct sprof_expression_node){.operation = operation, .operands = {left, right}},
		ret);
}

/* Whether it is a number that depends on no event. */
static bool is_constant(const struct parser *parser, uint32_t index, int64_t *ret)
{
	const struct sprof_expression_node *node = node_at(parser, index);

	if (node->operation == SPROF_EXPRESSION_NEGATE &&
		is_constant(parser, node->operands[0], ret))
		*ret = (int64_t) - (uint64_t)*ret;
	else if (node->operation == SPROF_EXPRESSION_NUMBER)
		*ret = node->number;
	else
		return false;
	return true;
}

/* The index of an array's element: past the name, at the bracket. */
static bool parse_index(
	struct parser *parser, const struct sprof_token *name, struct sprof_expression_node *node)
{
	int length = (int)name->length, last = (int)node->count - 1;
	const struct sprof_expression_node *index;
	int64_t number;
	size_t column;

	if (!at_token(parser, '['))
		return sprof_error_set(parser->err, SPROF_ERROR_USAGE,
			"column %zu: '%.*s' has several values: %.*s[0] to %.*s[%d]", name->column,
			length, name->at, length, name->at, length, name->at, last);
	if (!next(parser))
		return false;
	column = parser->lexer.token.column;
	if (!parse_condition(parser, &node->operands[0]) ||
		!expect(parser, ']', "']' is missing here"))
		return false;
	index = node_at(parser, node->operands[0]);
	if (index->kind != SPROF_TRACE_INTEGER)
		return fail_at(parser, column, "a text is not an index");
	if (is_constant(parser, node->operands[0], &number) && (uint64_t)number >= node->count)
		return sprof_error_set(parser->err, SPROF_ERROR_USAGE,
			"column %zu: '%.*s' has the indices 0 to %d", column, length, name->at,
			last);
	return true;
}

/* The arguments of a call, in a chain: past the opening parenthesis. */
static bool parse_arguments(struct parser *parser, uint32_t *ret_first)
{
	uint32_t before = SPROF_EXPRESSION_NO_NODE;

	*ret_first = SPROF_EXPRESSION_NO_NODE;
	if (at_token(parser, ')'))
		return next(parser);
	for (;;) {
		struct sprof_expression_node node = {SPROF_EXPRESSION_ARGUMENT};
		uint32_t index = SPROF_EXPRESSION_NO_NODE;

		node.operands[1] = SPROF_EXPRESSION_NO_NODE;
		node.number = (int64_t)parser->lexer.token.column;
		if (!parse_condition(parser, &node.operands[0]) || !append(parser, &node, &index))
			return false;
		if (before == SPROF_EXPRESSION_NO_NODE)
			*ret_first = index;
		else
			parser->expression->nodes[before].operands[1] = index;
		before = index;
		if (!at_token(parser, ','))
			return expect(parser, ')', "',' or ')' is missing here");
		if (!next(parser))
			return false;
	}
}

static bool parse_call(struct parser *parser, const struct sprof_token *name, uint32_t *ret)
{
	struct sprof_expression_node node = {0};
	uint32_t first;

	if (!sprof_expression_function_find(name, !parser->scope, &node, parser->err))
		return false;
	if (!next(parser) || !parse_arguments(parser, &first) ||
		!sprof_expression_function_check(
			parser->expression, name, first, &node, parser->err))
		return false;
	return append(parser, &node, ret);
}

static bool parse_name(struct parser *parser, uint32_t *ret)
{
	struct sprof_token name = parser->lexer.token;
	struct sprof_expression_node node = {0};

	if (!next(parser))
		return false;
	if (at_token(parser, '('))
		return parse_call(parser, &name, ret);
	if (!sprof_expression_name_find(&name, parser->scope, &node, parser->err))
		return false;
	if (node.operation == SPROF_EXPRESSION_ELEMENT) {
		if (!parse_index(parser, &name, &node))
			return false;
	} else if (at_token(parser, '[')) {
		return fail(parser, "this is not an array");
	}
	return append(parser, &node, ret);
}

/* Adds one word of a type's name. Returns false if it is not one. */
static bool add_type_word(const struct sprof_token *token, int *bits, bool *is_unsigned)
{
	static const struct {
		const char *name;
		int bits;
	} types[] = {{"char", 8}, {"short", 16}, {"int", 32}, {"long", 64}};

	if (name_is(token, "unsigned") || name_is(token, "signed")) {
		*is_unsigned = token->at[0] == 'u';
		return true;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (!name_is(token, types[i].name))
			continue;
		/* short int and long int are short and long. */
		if (types[i].bits != 32 || !*bits)
			*bits = types[i].bits;
		return true;
	}
	return false;
}

/* Past the parenthesis, where the name of a type stands. */
static bool parse_cast(struct parser *parser, uint32_t *ret)
{
	struct sprof_expression_node node = {SPROF_EXPRESSION_CAST};
	bool is_unsigned = false;
	int bits = 0;
	size_t column;

	while (add_type_word(&parser->lexer.token, &bits, &is_unsigned)) {
		if (!next(parser))
			return false;
	}
	if (!expect(parser, ')', "')' is missing here, after a type"))
		return false;
	column = parser->lexer.token.column;
	if (!parse_unary(parser, &node.operands[0]))
		return false;
	if (is_text(parser, node.operands[0]))
		return fail_at(parser, column, "a text can't become a number");
	node.number = is_unsigned ? (bits ? bits : 32) : -(bits ? bits : 32);
	return append(parser, &node, ret);
}

/* Past the parenthesis: (a, b) is b. */
static bool parse_parenthesis(struct parser *parser, uint32_t *ret)
{
	bool is_unsigned;
	int bits;

	if (add_type_word(&parser->lexer.token, &bits, &is_unsigned))
		return parse_cast(parser, ret);
	if (!parse_condition(parser, ret))
		return false;
	while (at_token(parser, ',')) {
		uint32_t right;

		if (!next(parser) || !parse_condition(parser, &right) ||
			!append_operation(parser, SPROF_EXPRESSION_COMMA, *ret, right, ret))
			return false;
		parser->expression->nodes[*ret].kind = node_at(parser, right)->kind;
	}
	return expect(parser, ')', "')' is missing here");
}

static bool parse_primary(struct parser *parser, uint32_t *ret)
{
	const struct sprof_token *token = &parser->lexer.token;
	struct sprof_expression_node node = {0};

	switch (token->kind) {
	case SPROF_TOKEN_NUMBER:
		node.number = token->number;
		return append(parser, &node, ret) && next(parser);
	case SPROF_TOKEN_TEXT:
		node.operation = SPROF_EXPRESSION_LITERAL;
		node.kind = SPROF_TRACE_TEXT;
		node.text = token->text;
		return append(parser, &node, ret) && next(parser);
	case SPROF_TOKEN_NAME:
		return parse_name(parser, ret);
	case '(':
		return next(parser) && parse_parenthesis(parser, ret);
	case SPROF_TOKEN_END:
		return fail(parser, "a value is missing at the end");
	default:
		return fail(parser, "a value is missing here");
	}
}

static bool parse_operand(struct parser *parser, uint32_t *ret)
{
	enum sprof_expression_operation operation;
	int kind = parser->lexer.token.kind;
	size_t column;

	if (kind != '-' && kind != '+' && kind != '!' && kind != '~')
		return parse_primary(parser, ret);
	operation = kind == '-' ? SPROF_EXPRESSION_NEGATE
		: kind == '!'   ? SPROF_EXPRESSION_NOT
				: SPROF_EXPRESSION_INVERT;
	if (!next(parser))
		return false;
	column = parser->lexer.token.column;
	if (!parse_unary(parser, ret))
		return false;
	if (is_text(parser, *ret))
		return fail_at(parser, column, "a number is needed, and this is a text");
	return kind == '+' || append_operation(parser, operation, *ret, 0, ret);
}

static bool parse_unary(struct parser *parser, uint32_t *ret)
{
	bool ok;

	if (parser->depth == MAX_DEPTH)
		return fail(parser, "this is nested too deeply");
	parser->depth++;
	ok = parse_operand(parser, ret);
	parser->depth--;
	return ok;
}

static const struct binary *find_binary(const struct parser *parser)
{
	for (size_t i = 0; i < sizeof(binaries) / sizeof(binaries[0]); i++) {
		if (at_token(parser, binaries[i].token))
			return &binaries[i];
	}
	return NULL;
}

/* Makes a node of two operands; `column` is that of the operator. */
static bool join(struct parser *parser, const struct binary *binary, size_t column, uint32_t right,
	uint32_t *left)
{
	enum sprof_expression_operation operation = binary->operation;
	bool left_is_text = is_text(parser, *left), right_is_text = is_text(parser, right);
	int64_t divisor;

	if (binary->shape == TEXT_ONLY && !(left_is_text && right_is_text))
		return fail_at(parser, column, "~ matches a text with a pattern in double quotes");
	if (binary->shape == EQUALITY && left_is_text != right_is_text)
		return fail_at(parser, column, "a number is compared with a text");
	if (binary->shape == INTEGERS && (left_is_text || right_is_text))
		return fail_at(parser, column, "a text has no other operators than ==, != and ~");
	if ((operation == SPROF_EXPRESSION_DIVIDE || operation == SPROF_EXPRESSION_REMAINDER) &&
		is_constant(parser, right, &divisor) && !divisor)
		return fail_at(parser, column, "a division by zero");
	if (left_is_text && binary->shape == EQUALITY)
		operation = operation == SPROF_EXPRESSION_EQUAL ? SPROF_EXPRESSION_TEXT_EQUAL
								: SPROF_EXPRESSION_TEXT_NOT_EQUAL;
	return append_operation(parser, operation, *left, right, left);
}

/* Operators of at least this level, from left to right. */
static bool parse_binary(struct parser *parser, unsigned level, uint32_t *ret)
{
	const struct binary *binary;

	if (!parse_unary(parser, ret))
		return false;
	while ((binary = find_binary(parser)) && binary->level >= level) {
		size_t column = parser->lexer.token.column;
		uint32_t right;

		if (!next(parser) || !parse_binary(parser, binary->level + 1, &right) ||
			!join(parser, binary, column, right, ret))
			return false;
	}
	return true;
}

/* Past the question mark; `*ret` is the condition. */
static bool parse_branches(struct parser *parser, size_t column, uint32_t *ret)
{
	struct sprof_expression_node node = {SPROF_EXPRESSION_CONDITION};

	if (is_text(parser, *ret))
		return fail_at(parser, column, "a text is not a condition");
	node.operands[0] = *ret;
	if (!parse_condition(parser, &node.operands[1]) ||
		!expect(parser, ':', "':' of '?' is missing here") ||
		!parse_condition(parser, &node.operands[2]))
		return false;
	node.kind = node_at(parser, node.operands[1])->kind;
	if (node.kind != node_at(parser, node.operands[2])->kind)
		return fail_at(parser, column, "'?' chooses between a number and a text");
	return append(parser, &node, ret);
}

static bool parse_condition(struct parser *parser, uint32_t *ret)
{
	size_t column;
	bool ok;

	if (!parse_binary(parser, 1, ret))
		return false;
	if (!at_token(parser, '?'))
		return true;
	column = parser->lexer.token.column;
	if (parser->depth == MAX_DEPTH)
		return fail(parser, "this is nested too deeply");
	parser->depth++;
	ok = next(parser) && parse_branches(parser, column, ret);
	parser->depth--;
	return ok;
}

static bool parse(struct parser *parser)
{
	if (!next(parser))
		return false;
	if (at_token(parser, SPROF_TOKEN_END))
		return fail(parser, "there is no expression");
	if (!parse_condition(parser, &parser->expression->root))
		return false;
	return at_token(parser, SPROF_TOKEN_END) || fail(parser, "an operator is missing here");
}

bool sprof_expression_create(const struct sprof_expression_text *text,
	const struct sprof_trace_scope *scope, struct sprof_expression **ret,
	struct sprof_error *err)
{
	struct sprof_expression *expression;
	struct parser parser = {.scope = scope, .err = err};

	if (text->length > MAX_LENGTH)
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"column %zu: an expression has at most %d characters", text->column,
			MAX_LENGTH);
	expression = calloc(1, sizeof(*expression));
	if (expression)
		expression->texts = malloc(text->length + 1);
	if (!expression || !expression->texts) {
		sprof_expression_destroy(expression);
		return sprof_error_no_memory(err);
	}
	parser.expression = expression;
	parser.lexer = (struct sprof_lexer){
		text->at, text->at + text->length, text->column, expression->texts};
	if (!parse(&parser)) {
		sprof_expression_destroy(expression);
		return false;
	}
	*ret = expression;
	return true;
}

void sprof_expression_destroy(struct sprof_expression *expression)
{
	if (!expression)
		return;
	free(expression->nodes);
	free(expression->texts);
	free(expression);
}

enum sprof_trace_kind sprof_expression_kind(const struct sprof_expression *expression)
{
	return expression->nodes[expression->root].kind;
}
