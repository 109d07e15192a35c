/*
 * printf() for expressions. The C library's printf can't be used, because the user writes the
 * format: it is checked when the expression is parsed and can only access its arguments. Does not
 * handle %n, %f and *.
 */
#include "events/expression/format.h"

#include <ctype.h>
#include <string.h>

enum { MAX_WIDTH = 200 };

static void put(struct sprof_expression_frame *frame, char character)
{
	if (!frame)
		return;
	if (frame->out && frame->out_length + 1 < frame->out_size) {
		frame->out[frame->out_length] = character;
		frame->out[frame->out_length + 1] = '\0';
	}
	frame->out_length++;
}

static void put_many(struct sprof_expression_frame *frame, char character, size_t count)
{
	while (count--)
		put(frame, character);
}

static void put_bytes(struct sprof_expression_frame *frame, const char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		put(frame, bytes[i]);
}

static const char *read_flags(const char *at, struct sprof_conversion *format)
{
	for (;; at++) {
		switch (*at) {
		case '-':
			format->left = true;
			break;
		case '0':
			format->zero = true;
			break;
		case '+':
			format->plus = true;
			break;
		case ' ':
			format->space = true;
			break;
		case '#':
			format->alternate = true;
			break;
		default:
			return at;
		}
	}
}

static const char *read_width(const char *at, unsigned *ret)
{
	*ret = 0;
	while (isdigit((unsigned char)*at) && *ret <= MAX_WIDTH)
		*ret = *ret * 10 + (unsigned)(*at++ - '0');
	return at;
}

static bool read_conversion(const char **at, struct sprof_conversion *format)
{
	unsigned precision;

	*at = read_width(read_flags(*at, format), &format->width);
	format->precision = -1;
	if (**at == '.') {
		*at = read_width(*at + 1, &precision);
		format->precision = (int)precision;
	}
	if (format->width > MAX_WIDTH || format->precision > MAX_WIDTH)
		return false;
	*at += strspn(*at, "hlzjt");
	if (!**at || !strchr("diuxXocps", **at))
		return false;
	format->conversion = *(*at)++;
	return true;
}

bool sprof_conversion_next(
	const char **at, struct sprof_expression_frame *frame, struct sprof_conversion *ret)
{
	*ret = (struct sprof_conversion){0};
	for (; **at; (*at)++) {
		if (**at == '%' && (*at)[1] == '%')
			(*at)++;
		else if (**at == '%')
			break;
		put(frame, **at);
	}
	if (!**at)
		return true;
	(*at)++;
	return read_conversion(at, ret);
}

static void write_padded(const struct sprof_conversion *format, const char *bytes, size_t length,
	struct sprof_expression_frame *frame)
{
	size_t padding = format->width > length ? format->width - length : 0;

	if (!format->left)
		put_many(frame, ' ', padding);
	put_bytes(frame, bytes, length);
	if (format->left)
		put_many(frame, ' ', padding);
}

static unsigned base_of(char conversion)
{
	if (conversion == 'o')
		return 8;
	return conversion == 'x' || conversion == 'X' || conversion == 'p' ? 16 : 10;
}

static const char *prefix_of(const struct sprof_conversion *format, int64_t number)
{
	char conversion = format->conversion;

	if (conversion == 'p')
		return "0x";
	if (conversion == 'd' || conversion == 'i')
		return number < 0 ? "-" : format->plus ? "+" : format->space ? " " : "";
	if (!format->alternate || !number)
		return "";
	return conversion == 'x' ? "0x" : conversion == 'X' ? "0X" : conversion == 'o' ? "0" : "";
}

/* The digits, without a sign, at the end of the buffer. */
static char *write_digits(const struct sprof_conversion *format, int64_t number, char *end)
{
	const char *digits = format->conversion == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	bool is_signed = format->conversion == 'd' || format->conversion == 'i';
	uint64_t value = is_signed && number < 0 ? -(uint64_t)number : (uint64_t)number;

	for (unsigned base = base_of(format->conversion); value; value /= base)
		*--end = digits[value % base];
	return end;
}

static void write_number(
	const struct sprof_conversion *format, int64_t number, struct sprof_expression_frame *frame)
{
	char buffer[24], *end = buffer + sizeof(buffer);
	const char *digits = write_digits(format, number, end), *prefix = prefix_of(format, number);
	size_t count = (size_t)(end - digits), prefix_length = strlen(prefix);
	size_t least = format->precision < 0 ? 1 : (size_t)format->precision, zeros, padding;

	zeros = least > count ? least - count : 0;
	if (format->zero && !format->left && format->precision < 0 &&
		format->width > prefix_length + count + zeros)
		zeros = format->width - prefix_length - count;
	count += prefix_length + zeros;
	padding = format->width > count ? format->width - count : 0;
	if (!format->left)
		put_many(frame, ' ', padding);
	put_bytes(frame, prefix, prefix_length);
	put_many(frame, '0', zeros);
	put_bytes(frame, digits, (size_t)(end - digits));
	if (format->left)
		put_many(frame, ' ', padding);
}

void sprof_conversion_write(const struct sprof_conversion *format, struct sprof_trace_value value,
	struct sprof_expression_frame *frame)
{
	char character;

	switch (format->conversion) {
	case 's':
		write_padded(format, value.text,
			format->precision < 0 ? strlen(value.text)
					      : strnlen(value.text, (size_t)format->precision),
			frame);
		return;
	case 'c':
		character = (char)value.integer;
		write_padded(format, &character, 1, frame);
		return;
	default:
		write_number(format, value.integer, frame);
	}
}
