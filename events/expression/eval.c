/*
 * Evaluates expressions. The parser has checked types and limited the depth, so evaluation can't
 * fail. Every operation is defined for all operands: arithmetic is done in uint64_t.
 */
#include "events/expression/expression.h"

#include <string.h>

#include "base/glob.h"
#include "events/expression/format.h"
#include "events/expression/tree.h"

struct evaluation {
	const struct sprof_expression *expression;
	struct sprof_expression_frame *frame;
};

static struct sprof_trace_value evaluate(const struct evaluation *evaluation, uint32_t index);

static int64_t integer_of(const struct evaluation *evaluation, uint32_t index)
{
	return evaluate(evaluation, index).integer;
}

static const char *text_of(const struct evaluation *evaluation, uint32_t index)
{
	return evaluate(evaluation, index).text;
}

static int64_t divide(int64_t a, int64_t b)
{
	if (!b)
		return 0;
	return b == -1 ? (int64_t) - (uint64_t)a : a / b;
}

/* gcc and clang keep the sign: "Integers implementation" in gcc's manual. */
static int64_t shift_right(int64_t a, int64_t b)
{
	if (b < 0)
		return 0;
	return a >> (b > 63 ? 63 : b);
}

static int64_t cast(int64_t value, int64_t bits)
{
	uint64_t is_signed = bits < 0, count = (uint64_t)(bits < 0 ? -bits : bits);
	uint64_t mask, sign;

	if (count == 64)
		return value;
	mask = (UINT64_C(1) << count) - 1;
	sign = is_signed << (count - 1);
	return (int64_t)((((uint64_t)value & mask) ^ sign) - sign);
}

static int64_t arithmetic(enum sprof_expression_operation operation, int64_t a, int64_t b)
{
	switch ((int)operation) {
	case SPROF_EXPRESSION_MULTIPLY:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case SPROF_EXPRESSION_DIVIDE:
		return divide(a, b);
	case SPROF_EXPRESSION_REMAINDER:
		return !b || b == -1 ? 0 : a % b;
	case SPROF_EXPRESSION_ADD:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case SPROF_EXPRESSION_SUBTRACT:
		return (int64_t)((uint64_t)a - (uint64_t)b);
	case SPROF_EXPRESSION_SHIFT_LEFT:
		return b < 0 || b > 63 ? 0 : (int64_t)((uint64_t)a << b);
	case SPROF_EXPRESSION_SHIFT_RIGHT:
		return shift_right(a, b);
	case SPROF_EXPRESSION_BIT_AND:
		return a & b;
	case SPROF_EXPRESSION_BIT_XOR:
		return a ^ b;
	default:
		return a | b;
	}
}

static int64_t compare(enum sprof_expression_operation operation, int64_t a, int64_t b)
{
	switch ((int)operation) {
	case SPROF_EXPRESSION_LESS:
		return a < b;
	case SPROF_EXPRESSION_LESS_EQUAL:
		return a <= b;
	case SPROF_EXPRESSION_GREATER:
		return a > b;
	case SPROF_EXPRESSION_GREATER_EQUAL:
		return a >= b;
	case SPROF_EXPRESSION_EQUAL:
		return a == b;
	default:
		return a != b;
	}
}

static int64_t binary(const struct evaluation *evaluation, const struct sprof_expression_node *node)
{
	int64_t a = integer_of(evaluation, node->operands[0]);
	int64_t b = integer_of(evaluation, node->operands[1]);

	if (node->operation >= SPROF_EXPRESSION_LESS &&
		node->operation <= SPROF_EXPRESSION_NOT_EQUAL)
		return compare(node->operation, a, b);
	return arithmetic(node->operation, a, b);
}

static int64_t compare_texts(
	const struct evaluation *evaluation, const struct sprof_expression_node *node)
{
	const char *a = text_of(evaluation, node->operands[0]);
	const char *b = text_of(evaluation, node->operands[1]);

	if (node->operation == SPROF_EXPRESSION_GLOB)
		return sprof_glob_matches(b, a);
	return !strcmp(a, b) == (node->operation == SPROF_EXPRESSION_TEXT_EQUAL);
}

static const char *look_up(
	const struct evaluation *evaluation, const struct sprof_expression_node *node)
{
	const struct sprof_expression_lookup *lookup = evaluation->frame->lookup;
	const struct sprof_trace_event *event = evaluation->frame->event;
	int64_t value = integer_of(evaluation, node->operands[0]);
	const char *found = NULL;

	if (!lookup)
		return "";
	if (node->operation == SPROF_EXPRESSION_COMM_GET && lookup->comm)
		found = lookup->comm(lookup->context, (pid_t)value);
	else if (node->operation == SPROF_EXPRESSION_SYSCALL_NAME && lookup->syscall)
		found = lookup->syscall(lookup->context, value);
	else if (node->operation == SPROF_EXPRESSION_SYM && lookup->symbol)
		found = lookup->symbol(lookup->context, event ? event->pid : 0, (uint64_t)value);
	return found ? found : "";
}

static int64_t print(const struct evaluation *evaluation, const struct sprof_expression_node *node)
{
	const struct sprof_expression_node *nodes = evaluation->expression->nodes;
	struct sprof_expression_frame *frame = evaluation->frame;
	size_t before = frame->out_length;
	uint32_t argument = node->operands[0];
	const char *at = node->text;
	struct sprof_conversion conversion;

	while (sprof_conversion_next(&at, frame, &conversion) && conversion.conversion) {
		sprof_conversion_write(
			&conversion, evaluate(evaluation, nodes[argument].operands[0]), frame);
		argument = nodes[argument].operands[1];
	}
	return (int64_t)(frame->out_length - before);
}

static struct sprof_trace_value element(
	const struct evaluation *evaluation, const struct sprof_expression_node *node)
{
	uint64_t index = (uint64_t)integer_of(evaluation, node->operands[0]);

	if (index >= node->count)
		return (struct sprof_trace_value){.integer = 0};
	return evaluation->frame->event->fields[(uint64_t)node->number + index];
}

/* Operations with an integer result that fit in one line each. */
static int64_t simple(const struct evaluation *evaluation, const struct sprof_expression_node *node)
{
	const struct sprof_trace_event *event = evaluation->frame->event;

	switch ((int)node->operation) {
	case SPROF_EXPRESSION_NUMBER:
		return node->number;
	case SPROF_EXPRESSION_INT_FIELD:
		return cast(event->fields[node->number].integer, -32);
	case SPROF_EXPRESSION_PID:
		return event->pid;
	case SPROF_EXPRESSION_TID:
		return event->tid;
	case SPROF_EXPRESSION_CPU:
		return event->cpu;
	case SPROF_EXPRESSION_KEY:
		return evaluation->frame->key;
	case SPROF_EXPRESSION_NEGATE:
		return (int64_t) - (uint64_t)integer_of(evaluation, node->operands[0]);
	case SPROF_EXPRESSION_NOT:
		return !integer_of(evaluation, node->operands[0]);
	case SPROF_EXPRESSION_INVERT:
		return ~integer_of(evaluation, node->operands[0]);
	case SPROF_EXPRESSION_CAST:
		return cast(integer_of(evaluation, node->operands[0]), node->number);
	case SPROF_EXPRESSION_AND:
		return integer_of(evaluation, node->operands[0]) &&
			integer_of(evaluation, node->operands[1]);
	case SPROF_EXPRESSION_OR:
		return integer_of(evaluation, node->operands[0]) ||
			integer_of(evaluation, node->operands[1]);
	case SPROF_EXPRESSION_PRINTF:
		return print(evaluation, node);
	case SPROF_EXPRESSION_TEXT_EQUAL:
	case SPROF_EXPRESSION_TEXT_NOT_EQUAL:
	case SPROF_EXPRESSION_GLOB:
		return compare_texts(evaluation, node);
	default:
		return binary(evaluation, node);
	}
}

static struct sprof_trace_value evaluate(const struct evaluation *evaluation, uint32_t index)
{
	const struct sprof_expression_node *node = &evaluation->expression->nodes[index];

	switch ((int)node->operation) {
	case SPROF_EXPRESSION_LITERAL:
		return (struct sprof_trace_value){.text = node->text};
	case SPROF_EXPRESSION_FIELD:
		return evaluation->frame->event->fields[node->number];
	case SPROF_EXPRESSION_ELEMENT:
		return element(evaluation, node);
	case SPROF_EXPRESSION_CONDITION:
		return evaluate(evaluation,
			node->operands[integer_of(evaluation, node->operands[0]) ? 1 : 2]);
	case SPROF_EXPRESSION_COMMA:
		evaluate(evaluation, node->operands[0]);
		return evaluate(evaluation, node->operands[1]);
	case SPROF_EXPRESSION_COMM_GET:
	case SPROF_EXPRESSION_SYSCALL_NAME:
	case SPROF_EXPRESSION_SYM:
		return (struct sprof_trace_value){.text = look_up(evaluation, node)};
	default:
		return (struct sprof_trace_value){.integer = simple(evaluation, node)};
	}
}

struct sprof_trace_value sprof_expression_evaluate(const struct sprof_expression *expression,
	uint32_t index, struct sprof_expression_frame *frame)
{
	return evaluate(&(struct evaluation){expression, frame}, index);
}

int64_t sprof_expression_integer(
	const struct sprof_expression *expression, struct sprof_expression_frame *frame)
{
	struct evaluation evaluation = {expression, frame};

	return integer_of(&evaluation, expression->root);
}

void sprof_expression_print(
	const struct sprof_expression *expression, struct sprof_expression_frame *frame)
{
	struct evaluation evaluation = {expression, frame};
	struct sprof_conversion conversion = {.precision = -1, .conversion = 'd'};
	struct sprof_trace_value value = evaluate(&evaluation, expression->root);

	if (frame->out_length)
		return;
	if (expression->nodes[expression->root].kind == SPROF_TRACE_TEXT)
		conversion.conversion = 's';
	sprof_conversion_write(&conversion, value, frame);
}
