/*
 * The formats of printf() in an expression: %d %i %u %x %X %o %c %p %s %%, with flags, width and
 * precision. Length modifiers are accepted and ignored: all numbers are 64-bit.
 */
#pragma once

#include "events/expression/expression.h"

struct sprof_conversion {
	bool left, zero, plus, space, alternate;
	unsigned width;
	int precision;   /* -1: none */
	char conversion; /* one of diuxXocps; 0: end of the format */
};

/*
 * Parses the next conversion and moves *at past it. Writes the characters before it to the frame,
 * which may be NULL. Returns false if the conversion is invalid.
 */
SPROF_MUST_USE bool sprof_conversion_next(
	const char **at, struct sprof_expression_frame *frame, struct sprof_conversion *ret);

void sprof_conversion_write(const struct sprof_conversion *format, struct sprof_trace_value value,
	struct sprof_expression_frame *frame);
