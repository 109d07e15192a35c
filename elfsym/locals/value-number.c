/*
 * Writes integers, floating-point numbers, characters, truth values and complex numbers. Does not
 * handle decimal floating point.
 */
#include "elfsym/locals/value-number.h"

#include <ctype.h>
#include <dwarf.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "elfsym/locals/value-place.h"
#include "elfsym/locals/value-type.h"

struct writing {
	FILE *out;
	const struct sprof_frame_machine *machine;
};

static void write_gap(
	const struct writing *writing, const struct sprof_place_of_value *place, size_t size)
{
	fputs(sprof_value_is_nowhere(place, size) ? "<optimized out>" : "?", writing->out);
}

/* The formats of IEEE 754 for which C has no portable type. */
struct format {
	unsigned exponent_bits, fraction_bits;
};

static const struct format half = {5, 10}, brain = {8, 7}, quad = {15, 112};

/* The same number, as far as a long double holds it. */
static long double make_number(const struct format *format, __uint128_t bits)
{
	const __uint128_t one = (__uint128_t)1 << format->fraction_bits;
	const int bias = (1 << (format->exponent_bits - 1)) - 1;
	const int exponent = (int)(bits >> format->fraction_bits) & (2 * bias + 1);
	const bool is_negative = bits >> (format->fraction_bits + format->exponent_bits) & 1;
	__uint128_t fraction = bits & (one - 1);
	long double number;

	if (exponent == 2 * bias + 1)
		number = fraction ? (long double)NAN : (long double)INFINITY;
	else
		number = ldexpl((long double)(exponent ? fraction | one : fraction),
			(exponent ? exponent : 1) - bias - (int)format->fraction_bits);
	return is_negative ? -number : number;
}

/* Types of one size differ by name. NULL: it is C's usual type of that size. */
static const struct format *format_of(const char *name, size_t size)
{
	if (size == 2)
		return name && strstr(name, "bf16") ? &brain : &half;
	return size == sizeof(__uint128_t) && name && strstr(name, "128") ? &quad : NULL;
}

static void write_float(const struct writing *writing, Dwarf_Die *type,
	const struct sprof_place_of_value *place, size_t size)
{
	const struct format *format = format_of(sprof_value_name(type), size);
	union {
		float small;
		double usual;
		long double large;
		__uint128_t bits;
	} number = {0};

	if (size > sizeof(number) || !sprof_value_read(writing->machine, place, &number, size))
		write_gap(writing, place, size);
	else if (format)
		fprintf(writing->out, "%.*Lg",
			format == &quad           ? 18
				: format == &half ? 5
						  : 4,
			make_number(format, number.bits));
	else if (size == sizeof(number.small))
		fprintf(writing->out, "%.9g", (double)number.small);
	else if (size == sizeof(number.usual))
		fprintf(writing->out, "%.17g", number.usual);
	else if (size == sizeof(number.large))
		fprintf(writing->out, "%.*Lg", LDBL_DECIMAL_DIG, number.large);
	else
		fputc('?', writing->out);
}

static void write_complex(const struct writing *writing, Dwarf_Die *type,
	const struct sprof_place_of_value *place, size_t size)
{
	const struct sprof_place_of_value imaginary = sprof_value_part(place, size / 2);

	write_float(writing, type, place, size / 2);
	fputs(" + ", writing->out);
	write_float(writing, type, &imaginary, size / 2);
	fputc('i', writing->out);
}

/* printf() has no form for 128 bits. */
static void write_wide(
	const struct writing *writing, const struct sprof_place_of_value *place, bool is_signed)
{
	char digits[40], *first = digits + sizeof(digits) - 1;
	__uint128_t value;
	bool is_negative;

	if (!sprof_value_read(writing->machine, place, &value, sizeof(value))) {
		write_gap(writing, place, sizeof(value));
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
		write_gap(writing, place, size);
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
		write_gap(writing, place, size);
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
		write_gap(writing, place, size);
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
		write_float(writing, type, place, size);
		return;
	case DW_ATE_complex_float:
		write_complex(writing, type, place, size);
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
