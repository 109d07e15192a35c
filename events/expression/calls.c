/*
 * Determines which system calls an expression can pass, whatever the event's other fields are, so
 * that a source can skip the others. Evaluates only what depends on the call's number; everything
 * else is unknown and goes through && || ! ?: as such. Does not look at arguments.
 */
#include "events/expression/expression.h"

#include "events/expression/tree.h"

struct question {
	const struct sprof_expression *expression;
	struct sprof_expression_frame *frame; /* its event has the number, and nothing else */
};

static bool may_be(const struct question *question, uint32_t index, bool wanted);

static unsigned operands_of(enum sprof_expression_operation operation)
{
	if (operation == SPROF_EXPRESSION_CONDITION)
		return 3;
	if (operation >= SPROF_EXPRESSION_MULTIPLY && operation <= SPROF_EXPRESSION_COMMA)
		return 2;
	return operation >= SPROF_EXPRESSION_NEGATE && operation <= SPROF_EXPRESSION_CAST ? 1 : 0;
}

/* Whether the value depends on nothing except the number, which is the first value of the event. */
static bool is_fixed(const struct sprof_expression *expression, uint32_t index)
{
	const struct sprof_expression_node *node = &expression->nodes[index];
	unsigned count = operands_of(node->operation);

	switch ((int)node->operation) {
	case SPROF_EXPRESSION_NUMBER:
	case SPROF_EXPRESSION_LITERAL:
		return true;
	case SPROF_EXPRESSION_FIELD:
		return node->number == 0;
	case SPROF_EXPRESSION_SYSCALL_NAME:
		return is_fixed(expression, node->operands[0]);
	default:
		break;
	}
	for (unsigned i = 0; i < count; i++) {
		if (!is_fixed(expression, node->operands[i]))
			return false;
	}
	return count;
}

static bool both_may_be(
	const struct question *question, const struct sprof_expression_node *node, bool wanted)
{
	return may_be(question, node->operands[0], wanted) &&
		may_be(question, node->operands[1], wanted);
}

static bool one_may_be(
	const struct question *question, const struct sprof_expression_node *node, bool wanted)
{
	return may_be(question, node->operands[0], wanted) ||
		may_be(question, node->operands[1], wanted);
}

/* Whether the value can be other than 0 or, with `wanted` false, can be 0. */
static bool may_be(const struct question *question, uint32_t index, bool wanted)
{
	const struct sprof_expression_node *node = &question->expression->nodes[index];

	if (is_fixed(question->expression, index))
		return (sprof_expression_evaluate(question->expression, index, question->frame)
				       .integer != 0) == wanted;
	switch ((int)node->operation) {
	case SPROF_EXPRESSION_AND:
		return wanted ? both_may_be(question, node, true)
			      : one_may_be(question, node, false);
	case SPROF_EXPRESSION_OR:
		return wanted ? one_may_be(question, node, true)
			      : both_may_be(question, node, false);
	case SPROF_EXPRESSION_NOT:
		return may_be(question, node->operands[0], !wanted);
	case SPROF_EXPRESSION_COMMA:
		return may_be(question, node->operands[1], wanted);
	case SPROF_EXPRESSION_CONDITION:
		return (may_be(question, node->operands[0], true) &&
			       may_be(question, node->operands[1], wanted)) ||
			(may_be(question, node->operands[0], false) &&
				may_be(question, node->operands[2], wanted));
	default:
		return true;
	}
}

bool sprof_expression_may_hold(const struct sprof_expression *expression, int64_t number,
	const struct sprof_expression_lookup *lookup)
{
	struct sprof_trace_value values[SPROF_TRACE_MAX_VALUES] = {{.integer = number}};
	struct sprof_trace_event event = {.type = SPROF_TRACE_SYS_ENTER, .fields = values};
	struct sprof_expression_frame frame = {.event = &event, .lookup = lookup};

	return may_be(&(struct question){expression, &frame}, expression->root, true);
}
