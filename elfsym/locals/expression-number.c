/*
 * Arithmetic of DWARF expressions (DWARF 5, section 2.5.1.4), on integers only.
 */
#include "elfsym/locals/expression-number.h"

#include <dwarf.h>

#include "elfsym/locals/value-type.h"

/* DWARF compares signed numbers. */
static bool compare(uint8_t atom, int64_t a, int64_t b, uint64_t *ret)
{
	switch (atom) {
	case DW_OP_eq:
		*ret = a == b;
		break;
	case DW_OP_ne:
		*ret = a != b;
		break;
	case DW_OP_lt:
		*ret = a < b;
		break;
	case DW_OP_le:
		*ret = a <= b;
		break;
	case DW_OP_gt:
		*ret = a > b;
		break;
	case DW_OP_ge:
		*ret = a >= b;
		break;
	default:
		return false;
	}
	return true;
}

bool sprof_expression_calculate(uint8_t atom, uint64_t a, uint64_t b, uint64_t *ret)
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
	case DW_OP_div:
		/* Dividing the smallest number by -1 overflows. */
		if (!right || (right == -1 && left == INT64_MIN))
			return false;
		*ret = (uint64_t)(left / right);
		break;
	case DW_OP_mod:
		if (!b)
			return false;
		*ret = a % b;
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
	default:
		return compare(atom, left, right, ret);
	}
	return true;
}

static bool is_integer(Dwarf_Word encoding)
{
	return encoding == DW_ATE_signed || encoding == DW_ATE_unsigned ||
		encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char ||
		encoding == DW_ATE_boolean || encoding == DW_ATE_address || encoding == DW_ATE_UTF;
}

bool sprof_expression_extend(Dwarf_Die *type, uint64_t *value)
{
	const Dwarf_Word encoding = sprof_value_encoding(type);
	const int size = dwarf_bytesize(type);
	unsigned unused;

	if (!is_integer(encoding) || size <= 0 || size > (int)sizeof(*value))
		return false;
	unused = 64 - 8 * (unsigned)size;
	*value <<= unused;
	if (encoding == DW_ATE_signed || encoding == DW_ATE_signed_char)
		*value = (uint64_t)((int64_t)*value >> unused);
	else
		*value >>= unused;
	return true;
}
