/*
 * Private to profile/: reading the protocol buffers wire format.
 * https://protobuf.dev/programming-guides/encoding/
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The unread rest of a message. */
struct sprof_wire {
	const uint8_t *at, *end;
	bool broken; /* invalid bytes were read; `at` is then at the end */
};

struct sprof_wire_field {
	uint32_t number;
	bool is_bytes;
	uint64_t value;          /* for a number */
	struct sprof_wire bytes; /* for a message, a string, or packed numbers */
};

/* Reads the next field. Returns false at the end, or if broken. */
bool sprof_wire_next(struct sprof_wire *wire, struct sprof_wire_field *ret);

/* Reads the next number of a packed field. Returns false at the end, or if broken. */
bool sprof_wire_number(struct sprof_wire *wire, uint64_t *ret);
