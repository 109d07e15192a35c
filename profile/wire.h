/*
 * Private to profile/: reading the protocol buffers wire format.
 * https://protobuf.dev/programming-guides/encoding/
 */
#ifndef SPROF_PROFILE_WIRE_H
#define SPROF_PROFILE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rest of a message. */
struct sprof_wire {
	const uint8_t *at, *end;
	bool broken; /* the bytes read were invalid; at is then end */
};

struct sprof_wire_field {
	uint32_t number;
	bool is_bytes;
	uint64_t value;          /* of a number */
	struct sprof_wire bytes; /* a message, a string, or packed numbers */
};

/* The next field. False: the end, or broken. */
bool sprof_wire_next(struct sprof_wire *wire, struct sprof_wire_field *ret);

/* The next number of a packed field. False: the end, or broken. */
bool sprof_wire_number(struct sprof_wire *wire, uint64_t *ret);

#endif
