/*
 * Where the fields of a tracepoint's record lie, from the text of its `format` file
 * (Documentation/trace/events.rst, "Event formats"): no tracefs is needed.
 */
#ifndef SPROF_EVENTS_TRACEPOINT_FORMAT_H
#define SPROF_EVENTS_TRACEPOINT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* A field that is a number. */
struct sprof_tracepoint_field {
	uint32_t offset; /* in the raw bytes of a sample */
	uint32_t size;   /* 1, 2, 4 or 8 bytes */
	bool is_signed;
};

/*
 * Finds a field by its name, without the brackets of an array. False: there is no such field, or it
 * is no number.
 */
SPROF_MUST_USE bool sprof_tracepoint_format_find(
	const char *text, const char *name, struct sprof_tracepoint_field *ret);

/*
 * The first element of an array of `count` of them; 1: a number. A text is an array of bytes.
 * False: there is no such field.
 */
SPROF_MUST_USE bool sprof_tracepoint_format_find_elements(
	const char *text, const char *name, unsigned count, struct sprof_tracepoint_field *ret);

/* Reads the field's value from a sample. False: the sample is too short. */
SPROF_MUST_USE bool sprof_tracepoint_field_read(
	const struct sprof_tracepoint_field *field, const void *raw, size_t size, int64_t *ret);

#endif
