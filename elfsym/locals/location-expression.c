/*
 * A stack machine (DWARF 5, sections 2.5 and 2.6) for the operations with which compilers describe
 * the place of a variable in a frame, and CFI that of a saved register. Does not handle variables
 * in pieces, in thread-local or other fixed places, entry values, jumps, and types.
 */
#include "elfsym/locals/location-expression.h"

#include <dwarf.h>
#include <string.h>

enum { DEPTH = 32 };

struct machine_stack {
	const struct sprof_location_expression *expression;
	const struct sprof_frame_machine *machine;
	uint64_t values[DEPTH];
	size_t count;
	struct sprof_place_of_value place; /* once an operation has decided it */
	bool has_place;
};

static bool push(struct machine_stack *stack, uint64_t value)
{
	if (stack->count == DEPTH)
		return false;
	stack->values[stack->count++] = value;
	return true;
}

static bool pop(struct machine_stack *stack, uint64_t *ret)
{
	if (!stack->count)
		return false;
	*ret = stack->values[--stack->count];
	return true;
}

static bool push_register(struct machine_stack *stack, uint64_t number, uint64_t offset)
{
	uint64_t value;

	return sprof_frame_machine_register(stack->machine, number, &value) &&
		push(stack, value + offset);
}

static bool push_frame_base(struct machine_stack *stack, uint64_t offset)
{
	const struct sprof_location_expression *expression = stack->expression;
	struct sprof_place_of_value base;

	if (!expression->frame_base)
		return false;
	base = sprof_location_expression_of_attribute(
		expression->frame_base, NULL, expression->pc, stack->machine);
	return (base.where == SPROF_WHERE_MEMORY || base.where == SPROF_WHERE_VALUE) &&
		push(stack, base.number + offset);
}

static bool dereference(struct machine_stack *stack, size_t size)
{
	const struct sprof_frame_machine *machine = stack->machine;
	uint64_t address, value = 0;

	/* Little-endian, as both machines are. */
	return size && size <= sizeof(value) && pop(stack, &address) &&
		machine->read(machine->memory, address, &value, size) == size && push(stack, value);
}

static bool decide(struct machine_stack *stack, enum sprof_where where, uint64_t number)
{
	stack->place = (struct sprof_place_of_value){.where = where, .number = number};
	stack->has_place = true;
	return true;
}

static bool decide_register(struct machine_stack *stack, uint64_t number)
{
	uint64_t value;

	return sprof_frame_machine_register(stack->machine, number, &value) &&
		decide(stack, SPROF_WHERE_VALUE, value);
}

static bool decide_value(struct machine_stack *stack)
{
	uint64_t value;

	return pop(stack, &value) && decide(stack, SPROF_WHERE_VALUE, value);
}

static bool decide_bytes(struct machine_stack *stack, const Dwarf_Op *op)
{
	Dwarf_Block block;

	if (!stack->expression->attribute ||
		dwarf_getlocation_implicit_value(stack->expression->attribute, op, &block))
		return false;
	stack->place = (struct sprof_place_of_value){
		.where = SPROF_WHERE_BYTES, .bytes = block.data, .size = block.length};
	stack->has_place = true;
	return true;
}

static bool pick(struct machine_stack *stack, uint64_t depth)
{
	return depth < stack->count && push(stack, stack->values[stack->count - 1 - depth]);
}

static bool swap(struct machine_stack *stack)
{
	uint64_t top, below;

	return pop(stack, &top) && pop(stack, &below) && push(stack, top) && push(stack, below);
}

static bool is_unary(uint8_t atom)
{
	return atom == DW_OP_neg || atom == DW_OP_not || atom == DW_OP_plus_uconst;
}

static bool unary(struct machine_stack *stack, const Dwarf_Op *op)
{
	uint64_t value;

	if (!pop(stack, &value))
		return false;
	switch (op->atom) {
	case DW_OP_neg:
		return push(stack, -value);
	case DW_OP_not:
		return push(stack, ~value);
	default:
		return push(stack, value + op->number);
	}
}

/* Returns false if it is no binary operation. */
static bool calculate(uint8_t atom, uint64_t a, uint64_t b, uint64_t *ret)
{
	const unsigned shift = b < 64 ? (unsigned)b : 63;
	const int64_t left = (int64_t)a, right = (int64_t)b;

	switch (atom) {
	case DW_OP_plus:
		*ret = a + b;
		break;
	case DW_OP_minus:
		*ret = a - b;
		break;
	case DW_OP_mul:
		*ret = a * b;
		break;
	case DW_OP_and:
		*ret = a & b;
		break;
	case DW_OP_or:
		*ret = a | b;
		break;
	case DW_OP_xor:
		*ret = a ^ b;
		break;
	case DW_OP_shl:
		*ret = b < 64 ? a << shift : 0;
		break;
	case DW_OP_shr:
		*ret = b < 64 ? a >> shift : 0;
		break;
	case DW_OP_shra:
		*ret = (uint64_t)(left >> shift);
		break;
	case DW_OP_eq:
		*ret = a == b;
		break;
	case DW_OP_ne:
		*ret = a != b;
		break;
	case DW_OP_lt:
		*ret = left < right;
		break;
	case DW_OP_le:
		*ret = left <= right;
		break;
	case DW_OP_gt:
		*ret = left > right;
		break;
	case DW_OP_ge:
		*ret = left >= right;
		break;
	default:
		return false;
	}
	return true;
}

static bool binary(struct machine_stack *stack, uint8_t atom)
{
	uint64_t a, b, result;

	return pop(stack, &b) && pop(stack, &a) && calculate(atom, a, b, &result) &&
		push(stack, result);
}

static bool is_constant(uint8_t atom)
{
	return (atom >= DW_OP_const1u && atom <= DW_OP_consts);
}

/* Returns false if the result can't be determined. */
static bool apply(struct machine_stack *stack, const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(stack, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(stack, op->atom - DW_OP_breg0, op->number);
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return decide_register(stack, op->atom - DW_OP_reg0);
	if (is_constant(op->atom))
		return push(stack, op->number);
	if (is_unary(op->atom))
		return unary(stack, op);
	switch (op->atom) {
	case DW_OP_bregx:
		return push_register(stack, op->number, op->number2);
	case DW_OP_regx:
		return decide_register(stack, op->number);
	case DW_OP_fbreg:
		return push_frame_base(stack, op->number);
	case DW_OP_call_frame_cfa:
		return stack->machine->cfa && push(stack, stack->machine->cfa);
	case DW_OP_deref:
		return dereference(stack, sizeof(uint64_t));
	case DW_OP_deref_size:
		return dereference(stack, op->number);
	case DW_OP_stack_value:
		return decide_value(stack);
	case DW_OP_implicit_value:
		return decide_bytes(stack, op);
	case DW_OP_dup:
		return pick(stack, 0);
	case DW_OP_over:
		return pick(stack, 1);
	case DW_OP_pick:
		return pick(stack, op->number);
	case DW_OP_drop:
		return stack->count && stack->count--;
	case DW_OP_swap:
		return swap(stack);
	case DW_OP_nop:
		return true;
	default:
		return binary(stack, op->atom);
	}
}

struct sprof_place_of_value sprof_location_expression_evaluate(
	const struct sprof_location_expression *expression,
	const struct sprof_frame_machine *machine)
{
	const struct sprof_place_of_value unknown = {.where = SPROF_WHERE_UNKNOWN};
	struct machine_stack stack = {.expression = expression, .machine = machine};

	if (!expression->count)
		return (struct sprof_place_of_value){.where = SPROF_WHERE_NOWHERE};
	for (size_t i = 0; i < expression->count; i++) {
		/* Operations after a result describe pieces. */
		if (stack.has_place || !apply(&stack, &expression->ops[i]))
			return unknown;
	}
	if (!stack.has_place && stack.count)
		decide(&stack, SPROF_WHERE_MEMORY, stack.values[stack.count - 1]);
	return stack.has_place ? stack.place : unknown;
}

struct sprof_place_of_value sprof_location_expression_of_attribute(Dwarf_Attribute *attribute,
	Dwarf_Attribute *frame_base, uint64_t pc, const struct sprof_frame_machine *machine)
{
	struct sprof_location_expression expression = {
		.attribute = attribute, .frame_base = frame_base, .pc = pc};
	Dwarf_Op *ops;
	size_t count;
	const int found = dwarf_getlocation_addr(attribute, pc, &ops, &count, 1);

	if (found < 0)
		return (struct sprof_place_of_value){.where = SPROF_WHERE_UNKNOWN};
	if (!found)
		return (struct sprof_place_of_value){.where = SPROF_WHERE_NOWHERE};
	expression.ops = ops;
	expression.count = count;
	return sprof_location_expression_evaluate(&expression, machine);
}
