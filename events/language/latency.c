/*
 * Parses thresholds with integers only, so that 0.1us is exactly 100 ns. Does not handle signs,
 * exponents, blanks, and sums such as 1s500ms.
 */
#include "events/language/latency.h"

#include <string.h>

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {{"s", 1000 * 1000 * 1000}, {"ms", 1000 * 1000}, {"us", 1000}, {"ns", 1}};

static bool find_unit(const char *text, size_t length, uint64_t *ret_ns)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		*ret_ns = units[i].ns;
		if (strlen(units[i].name) == length && !memcmp(units[i].name, text, length))
			return true;
	}
	return false;
}

/* Adds digit * factor to *sum. Returns false on overflow. */
static bool add_digit(uint64_t digit, uint64_t factor, uint64_t *sum)
{
	uint64_t product;

	return !__builtin_mul_overflow(digit, factor, &product) &&
		!__builtin_add_overflow(*sum, product, sum);
}

/* Parses the digits after the point; `unit` is the value of 1 before it. */
static bool parse_fraction(const char *text, size_t length, uint64_t unit, uint64_t *ns)
{
	if (!length)
		return false;
	for (size_t i = 0; i < length; i++) {
		if (unit % 10 && text[i] != '0')
			return false;
		unit /= 10;
		if (!add_digit((uint64_t)(text[i] - '0'), unit, ns))
			return false;
	}
	return true;
}

bool sprof_latency_parse(const char *text, size_t length, uint64_t *ret_ns)
{
	size_t whole = 0, fraction = 0, digits;
	uint64_t unit, count = 0, ns;
	bool has_point;

	while (whole < length && text[whole] >= '0' && text[whole] <= '9')
		whole++;
	has_point = whole < length && text[whole] == '.';
	digits = whole + has_point;
	while (has_point && digits + fraction < length && text[digits + fraction] >= '0' &&
		text[digits + fraction] <= '9')
		fraction++;
	if (!whole || !find_unit(text + digits + fraction, length - digits - fraction, &unit))
		return false;
	for (size_t i = 0; i < whole; i++) {
		if (__builtin_mul_overflow(count, 10, &count) ||
			!add_digit((uint64_t)(text[i] - '0'), 1, &count))
			return false;
	}
	if (__builtin_mul_overflow(count, unit, &ns))
		return false;
	if (has_point && !parse_fraction(text + digits, fraction, unit, &ns))
		return false;
	*ret_ns = ns;
	return true;
}
