/*
 * The formats of printf() in an expression: %d %i %u %x %X %o %c %p %s %%, with flags, width and
 * precision. Length modifiers are accepted and mean nothing: every number has 64 bits.
 */
#ifndef SPROF_EVENTS_EXPRESSION_FORMAT_H
#define SPROF_EVENTS_EXPRESSION_FORMAT_H

#include "events/expression.h"

struct sprof_conversion {
	bool left, zero, plus, space, alternate;
	unsigned width;
	int precision;   /* -1: none */
	char conversion; /* one of diuxXocps; 0: there is none left */
};

/*
 * Goes on to the next conversion from *at, and past it. The characters before it go to the frame; a
 * frame of NULL is accepted. False: what stands at *at is no conversion.
 */
SPROF_MUST_USE bool sprof_conversion_next(
	const char **at, struct sprof_expression_frame *frame, struct sprof_conversion *ret);

/* Writes one value as the conversion says. */
void sprof_conversion_write(const struct sprof_conversion *format, struct sprof_trace_value value,
	struct sprof_expression_frame *frame);

#endif
