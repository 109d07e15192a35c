/*
 * A stack machine (DWARF 5, sections 2.5 and 2.6) for the operations that describe the place of a
 * variable in a frame, or of a saved register in CFI. Does not handle thread-local variables, calls
 * of other expressions, and numbers other than integers.
 */
#include "elfsym/locals/location-expression.h"

#include <dwarf.h>
#include <string.h>

#include "elfsym/locals/expression-number.h"

enum { DEPTH = 32 };

/* Limits loops of jumps. */
enum { MAX_STEPS = 1000 };

struct machine_stack {
	const struct sprof_location_expression *expression;
	const struct sprof_dwarf_frame *frame;
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
	struct sprof_dwarf_frame frame = *stack->frame;
	const struct sprof_location_expression expression = {.attribute = &frame.base};
	struct sprof_place_of_value base;

	if (!frame.has_base)
		return false;
	frame.has_base = false;
	base = sprof_location_expression_of_attribute(&expression, &frame);
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
	stack->place = (struct sprof_place_of_value){
		.where = where, .number = number, .size = sizeof(number)};
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

static bool binary(struct machine_stack *stack, uint8_t atom)
{
	uint64_t a, b, result;

	return pop(stack, &b) && pop(stack, &a) &&
		sprof_expression_calculate(atom, a, b, &result) && push(stack, result);
}

/* An address of the module, at run time. */
static bool push_address(struct machine_stack *stack, const Dwarf_Op *op)
{
	const struct sprof_location_expression *expression = stack->expression;
	Dwarf_Attribute at;
	Dwarf_Addr address = op->number;

	if (op->atom != DW_OP_addr &&
		(!expression->attribute ||
			dwarf_getlocation_attr(expression->attribute, op, &at) != 0 ||
			dwarf_formaddr(&at, &address) != 0))
		return false;
	return stack->frame->has_bias && push(stack, address + stack->frame->bias);
}

/* The register in the expression of an entry value, which has one operation. */
static bool entry_register(
	const struct sprof_location_expression *expression, const Dwarf_Op *op, uint64_t *ret)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t count;

	if (!expression->attribute ||
		dwarf_getlocation_attr(expression->attribute, op, &inner) != 0 ||
		dwarf_getlocation(&inner, &ops, &count) != 0 || count != 1)
		return false;
	if (ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		*ret = ops[0].atom - DW_OP_reg0;
	else if (ops[0].atom == DW_OP_regx)
		*ret = ops[0].number;
	else
		return false;
	return true;
}

static bool push_entry_value(struct machine_stack *stack, const Dwarf_Op *op)
{
	const struct sprof_dwarf_frame *frame = stack->frame;
	uint64_t number, value;

	return frame->find_entry_value && entry_register(stack->expression, op, &number) &&
		frame->find_entry_value(frame, number, &value) && push(stack, value);
}

static bool type_of(const struct machine_stack *stack, const Dwarf_Op *op, Dwarf_Die *ret)
{
	Dwarf_Attribute *attribute = stack->expression->attribute;

	return attribute && dwarf_getlocation_die(attribute, op, ret) == 0;
}

/* Pushes the value as its type has it: extended from the type's size. */
static bool push_typed(struct machine_stack *stack, const Dwarf_Op *op, uint64_t value)
{
	Dwarf_Die type;

	return type_of(stack, op, &type) && sprof_expression_extend(&type, &value) &&
		push(stack, value);
}

/* Type 0 is the generic type, of the size of an address. */
static bool convert(struct machine_stack *stack, const Dwarf_Op *op)
{
	uint64_t value;

	return op->number ? pop(stack, &value) && push_typed(stack, op, value) : stack->count;
}

static bool push_typed_register(struct machine_stack *stack, const Dwarf_Op *op)
{
	uint64_t value;

	return sprof_frame_machine_register(stack->machine, op->number, &value) &&
		push_typed(stack, op, value);
}

static bool dereference_typed(struct machine_stack *stack, const Dwarf_Op *op)
{
	uint64_t value;

	return dereference(stack, op->number) && pop(stack, &value) && push_typed(stack, op, value);
}

static bool push_typed_constant(struct machine_stack *stack, const Dwarf_Op *op)
{
	uint64_t value = 0;
	Dwarf_Attribute constant;
	Dwarf_Block block;

	if (!stack->expression->attribute ||
		dwarf_getlocation_attr(stack->expression->attribute, op, &constant) ||
		dwarf_formblock(&constant, &block) || block.length > sizeof(value))
		return false;
	memcpy(&value, block.data, block.length);
	return push_typed(stack, op, value);
}

/* Operations that involve a type, or something outside the expression. */
static bool apply_rare(struct machine_stack *stack, const Dwarf_Op *op)
{
	switch (op->atom) {
	case DW_OP_addr:
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		return push_address(stack, op);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(stack, op);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		return convert(stack, op);
	case DW_OP_regval_type:
	case DW_OP_GNU_regval_type:
		return push_typed_register(stack, op);
	case DW_OP_deref_type:
	case DW_OP_GNU_deref_type:
		return dereference_typed(stack, op);
	case DW_OP_const_type:
	case DW_OP_GNU_const_type:
		return push_typed_constant(stack, op);
	default:
		return binary(stack, op->atom);
	}
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
	if (op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts)
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
		return apply_rare(stack, op);
	}
}

/* The index of a jump's target; `count` if it is the end. */
static size_t jump(const struct sprof_location_expression *part, size_t from)
{
	const Dwarf_Op *op = &part->ops[from];
	/* 3: the operation's size; its sign-extended number counts from its end. */
	const Dwarf_Word target = op->offset + 3 + (Dwarf_Word)(int64_t)(int16_t)op->number;
	size_t to = 0;

	while (to < part->count && part->ops[to].offset != target)
		to++;
	return to;
}

/* Returns false if the condition of a jump is unknown. */
static bool is_taken(struct machine_stack *stack, uint8_t atom, bool *ret)
{
	uint64_t condition = 1;

	if (atom == DW_OP_bra && !pop(stack, &condition))
		return false;
	*ret = condition != 0;
	return true;
}

static bool run(struct machine_stack *stack, const struct sprof_location_expression *part)
{
	size_t i = 0;

	for (unsigned steps = 0; i < part->count; steps++) {
		const Dwarf_Op *op = &part->ops[i];
		bool taken = false;

		/* An operation after the result is malformed. */
		if (stack->has_place || steps == MAX_STEPS)
			return false;
		if (op->atom != DW_OP_skip && op->atom != DW_OP_bra) {
			if (!apply(stack, op))
				return false;
		} else if (!is_taken(stack, op->atom, &taken)) {
			return false;
		}
		i = taken ? jump(part, i) : i + 1;
	}
	return true;
}

/* Whether the value is nowhere, or a pointer that was optimised away. */
static bool is_nowhere(const struct sprof_location_expression *part)
{
	return !part->count || part->ops[0].atom == DW_OP_implicit_pointer ||
		part->ops[0].atom == DW_OP_GNU_implicit_pointer;
}

/* Evaluates an expression without pieces, or one piece. */
static struct sprof_place_of_value evaluate_part(
	const struct sprof_location_expression *part, const struct sprof_dwarf_frame *frame)
{
	struct machine_stack stack = {
		.expression = part, .frame = frame, .machine = frame->machine};

	if (is_nowhere(part))
		return (struct sprof_place_of_value){.where = SPROF_WHERE_NOWHERE};
	if (part->object)
		push(&stack, *part->object);
	if (!run(&stack, part))
		return (struct sprof_place_of_value){.where = SPROF_WHERE_UNKNOWN};
	if (!stack.has_place && stack.count)
		decide(&stack, SPROF_WHERE_MEMORY, stack.values[stack.count - 1]);
	return stack.has_place ? stack.place
			       : (struct sprof_place_of_value){.where = SPROF_WHERE_UNKNOWN};
}

static bool is_piece(const Dwarf_Op *op)
{
	return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

static bool append_piece(const struct sprof_location_expression *part, const Dwarf_Op *end,
	const struct sprof_dwarf_frame *frame)
{
	const struct sprof_place_of_value place = evaluate_part(part, frame);
	const bool is_bits = end->atom == DW_OP_bit_piece;

	if (end->number > SPROF_PIECES_SIZE * 8)
		return false;
	return sprof_pieces_append(part->pieces, frame->machine, &place, is_bits ? end->number2 : 0,
		is_bits ? end->number : 8 * end->number);
}

static struct sprof_place_of_value evaluate_pieces(
	const struct sprof_location_expression *expression, const struct sprof_dwarf_frame *frame)
{
	struct sprof_location_expression part = *expression;
	const struct sprof_place_of_value unknown = {.where = SPROF_WHERE_UNKNOWN};

	if (!expression->pieces)
		return unknown;
	*expression->pieces = (struct sprof_pieces){0};
	part.count = 0;
	for (size_t i = 0; i < expression->count; i++, part.count++) {
		if (!is_piece(&expression->ops[i]))
			continue;
		if (!append_piece(&part, &expression->ops[i], frame))
			return unknown;
		part.ops = &expression->ops[i + 1];
		part.count = (size_t)-1;
	}
	return part.count ? unknown : sprof_pieces_place(expression->pieces);
}

struct sprof_place_of_value sprof_location_expression_evaluate(
	const struct sprof_location_expression *expression, const struct sprof_dwarf_frame *frame)
{
	return expression->count && is_piece(&expression->ops[expression->count - 1])
		? evaluate_pieces(expression, frame)
		: evaluate_part(expression, frame);
}

struct sprof_place_of_value sprof_location_expression_of_attribute(
	const struct sprof_location_expression *expression, const struct sprof_dwarf_frame *frame)
{
	struct sprof_location_expression found = *expression;
	Dwarf_Op *ops;
	const int lists = dwarf_getlocation_addr(
		expression->attribute, frame->address, &ops, &found.count, 1);

	if (lists < 0)
		return (struct sprof_place_of_value){.where = SPROF_WHERE_UNKNOWN};
	if (!lists)
		return (struct sprof_place_of_value){.where = SPROF_WHERE_NOWHERE};
	found.ops = ops;
	return sprof_location_expression_evaluate(&found, frame);
}

/* Like gcc and gdb, extends a form of fixed size with zeroes. */
static struct sprof_place_of_value constant_place(Dwarf_Attribute *attribute)
{
	struct sprof_place_of_value place = {
		.where = SPROF_WHERE_VALUE, .size = sizeof(place.number)};
	Dwarf_Block block;
	Dwarf_Sword number;

	if (dwarf_formblock(attribute, &block) == 0)
		return (struct sprof_place_of_value){
			.where = SPROF_WHERE_BYTES, .bytes = block.data, .size = block.length};
	if (dwarf_whatform(attribute) == DW_FORM_sdata ||
		dwarf_whatform(attribute) == DW_FORM_implicit_const) {
		if (dwarf_formsdata(attribute, &number) == 0)
			place.number = (uint64_t)number;
	} else if (dwarf_formudata(attribute, &place.number) != 0) {
		place.where = SPROF_WHERE_UNKNOWN;
	}
	return place;
}

struct sprof_place_of_value sprof_location_expression_of_variable(
	Dwarf_Die *variable, const struct sprof_dwarf_frame *frame, struct sprof_pieces *pieces)
{
	Dwarf_Attribute attribute;

	if (dwarf_attr_integrate(variable, DW_AT_const_value, &attribute))
		return constant_place(&attribute);
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute))
		return (struct sprof_place_of_value){.where = SPROF_WHERE_NOWHERE};
	return sprof_location_expression_of_attribute(
		&(struct sprof_location_expression){.attribute = &attribute, .pieces = pieces},
		frame);
}
