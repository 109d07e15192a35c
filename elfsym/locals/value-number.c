/*
 * Writes numbers: integers, floating point, characters and truth values. Does not handle decimal and complex ones.
 */
#include "elfsym/locals/value-number.h"

#include <ctype.h>
#include <dwarf.h>
#include <inttypes.h>

#include "elfsym/locals/value-place.h"

enum { MAX_NUMBER = 16 }; /* bytes: the longest are long double and the integers of 128 bits */

struct writing {
	FILE *out;
	const struct sprof_frame_machine *machine;
};

Dwarf_Word sprof_value_encoding(Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	Dwarf_Word encoding = 0;

	dwarf_formudata(dwarf_attr(type, DW_AT_encoding, &attribute), &encoding);
	return encoding;
}

static void write_float(
	const struct writing *writing, const struct sprof_place_of_value *place, size_t size)
{
	union {
		float small;
		double usual;
		long double large;
		uint8_t bytes[MAX_NUMBER];
	} number = {0};

	if (size > sizeof(number.bytes) ||
		!sprof_value_read(writing->machine, place, number.bytes, size))
		fputc('?', writing->out);
	else if (size == sizeof(number.small))
		fprintf(writing->out, "%.9g", (double)number.small);
	else if (size == sizeof(number.usual))
		fprintf(writing->out, "%.17g", number.usual);
	else if (size == sizeof(number.large))
		fprintf(writing->out, "%.18Lg", number.large);
	else
		fputc('?', writing->out);
}

/* printf() has no form for 128 bits. */
static void write_wide(
	const struct writing *writing, const struct sprof_place_of_value *place, bool is_signed)
{
	char digits[40], *first = digits + sizeof(digits) - 1;
	__uint128_t value;
	bool is_negative;

	if (!sprof_value_read(writing->machine, place, &value, sizeof(value))) {
		fputc('?', writing->out);
		return;
	}
	is_negative = is_signed && value >> 127;
	if (is_negative)
		value = -value;
	*first = '\0';
	do {
		*--first = (char)('0' + (int)(value % 10));
		value /= 10;
	} while (value);
	fprintf(writing->out, "%s%s", is_negative ? "-" : "", first);
}

static void write_integer(const struct writing *writing, const struct sprof_place_of_value *place,
	size_t size, bool is_signed)
{
	uint64_t value;

	if (size == sizeof(__uint128_t))
		write_wide(writing, place, is_signed);
	else if (!sprof_value_integer(writing->machine, place, size, is_signed, &value))
		fputc('?', writing->out);
	else if (is_signed)
		fprintf(writing->out, "%" PRId64, (int64_t)value);
	else
		fprintf(writing->out, "%" PRIu64, value);
}

static void write_boolean(
	const struct writing *writing, const struct sprof_place_of_value *place, size_t size)
{
	uint64_t value;

	if (!sprof_value_integer(writing->machine, place, size, false, &value))
		fputc('?', writing->out);
	else if (value > 1)
		fprintf(writing->out, "%" PRIu64, value);
	else
		fputs(value ? "true" : "false", writing->out);
}

/* 97 'a' */
static void write_char(const struct writing *writing, const struct sprof_place_of_value *place,
	size_t size, bool is_signed)
{
	uint64_t value;

	if (!sprof_value_integer(writing->machine, place, size, is_signed, &value)) {
		fputc('?', writing->out);
		return;
	}
	fprintf(writing->out, "%" PRId64, (int64_t)value);
	if (value < 0x80 && isprint((int)value))
		fprintf(writing->out, " '%c'", (char)value);
}

void sprof_value_write_number(FILE *out, Dwarf_Die *type, const struct sprof_place_of_value *place,
	const struct sprof_frame_machine *machine)
{
	const struct writing to = {.out = out, .machine = machine}, *writing = &to;
	const int bytes = dwarf_bytesize(type);
	const size_t size = bytes > 0 ? (size_t)bytes : 0;

	switch (sprof_value_encoding(type)) {
	case DW_ATE_boolean:
		write_boolean(writing, place, size);
		return;
	case DW_ATE_float:
		write_float(writing, place, size);
		return;
	case DW_ATE_signed:
		write_integer(writing, place, size, true);
		return;
	case DW_ATE_signed_char:
		write_char(writing, place, size, true);
		return;
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
		write_char(writing, place, size, false);
		return;
	case DW_ATE_unsigned:
	case DW_ATE_address:
		write_integer(writing, place, size, false);
		return;
	default:
		fputc('?', out);
	}
}
