/*
 * Private to output/: builds one protocol buffers message.
 * https://protobuf.dev/programming-guides/encoding/
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty and valid. Reuse it to avoid allocations. */
struct sprof_message {
	uint8_t *data;
	size_t size, capacity;
	bool failed; /* out of memory: the content is incomplete */
};

void sprof_message_finish(struct sprof_message *message);

void sprof_message_add_varint(struct sprof_message *message, uint64_t value);
/* Adds a number; skips 0, the default. */
void sprof_message_add_number(struct sprof_message *message, uint32_t field, uint64_t value);
/* Adds a string, a message or packed numbers. */
void sprof_message_add_bytes(
	struct sprof_message *message, uint32_t field, const void *bytes, size_t size);

/* Appends the fields of another message. */
void sprof_message_append(struct sprof_message *message, const struct sprof_message *more);
