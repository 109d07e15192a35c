/*
 * Private to output/: one protocol buffers message while it is put together.
 * https://protobuf.dev/programming-guides/encoding/
 */
#ifndef SPROF_OUTPUT_MESSAGE_H
#define SPROF_OUTPUT_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty and valid; used again and again, its memory is kept. */
struct sprof_message {
	uint8_t *data;
	size_t size, capacity;
	bool failed; /* memory was short: what is in it is not whole */
};

void sprof_message_finish(struct sprof_message *message);

void sprof_message_add_varint(struct sprof_message *message, uint64_t value);
/* A number; 0 is the default and left out. */
void sprof_message_add_number(struct sprof_message *message, uint32_t field, uint64_t value);
/* A string, a message, packed numbers. */
void sprof_message_add_bytes(
	struct sprof_message *message, uint32_t field, const void *bytes, size_t size);

/* The fields of another message behind those there are. */
void sprof_message_append(struct sprof_message *message, const struct sprof_message *more);

#endif
