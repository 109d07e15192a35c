/*
 * Parses a tracepoint's `format` file (Documentation/trace/events.rst, "Event formats"), from text;
 * needs no tracefs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

struct sprof_tracepoint_field {
	uint32_t offset; /* in a sample's raw bytes */
	uint32_t size;   /* in bytes: 1, 2, 4 or 8 */
	bool is_signed;
};

/*
 * Finds a field by name, given without the brackets of an array. Returns false if there is none, or
 * it is not a number.
 */
SPROF_MUST_USE bool sprof_tracepoint_format_find(
	const char *text, const char *name, struct sprof_tracepoint_field *ret);

/*
 * Finds the first element of an array of `count` elements; `count` 1: of a single number. A text is
 * an array of bytes. Returns false if there is no such field.
 */
SPROF_MUST_USE bool sprof_tracepoint_format_find_elements(
	const char *text, const char *name, unsigned count, struct sprof_tracepoint_field *ret);

/* Reads the field's value. Returns false if the sample is too short. */
SPROF_MUST_USE bool sprof_tracepoint_field_read(
	const struct sprof_tracepoint_field *field, const void *raw, size_t size, int64_t *ret);
