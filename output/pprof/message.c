/*
 * The wire format of protocol buffers, limited to what profile.proto needs.
 */
#include "output/pprof/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	MAX_VARINT = 10,
	TYPE_VARINT = 0,
	TYPE_BYTES = 2,
};

void sprof_message_finish(struct sprof_message *message)
{
	free(message->data);
	*message = (struct sprof_message){0};
}

static bool reserve(struct sprof_message *message, size_t size)
{
	if (!sprof_array_reserve(&message->data, &message->capacity, message->size + size, 1))
		message->failed = true;
	return !message->failed;
}

void sprof_message_add_varint(struct sprof_message *message, uint64_t value)
{
	if (!reserve(message, MAX_VARINT))
		return;
	for (; value >= 0x80; value >>= 7)
		message->data[message->size++] = (uint8_t)(value | 0x80);
	message->data[message->size++] = (uint8_t)value;
}

void sprof_message_add_number(struct sprof_message *message, uint32_t field, uint64_t value)
{
	if (!value)
		return;
	sprof_message_add_varint(message, (uint64_t)field << 3 | TYPE_VARINT);
	sprof_message_add_varint(message, value);
}

void sprof_message_add_bytes(
	struct sprof_message *message, uint32_t field, const void *bytes, size_t size)
{
	sprof_message_add_varint(message, (uint64_t)field << 3 | TYPE_BYTES);
	sprof_message_add_varint(message, size);
	if (!reserve(message, size) || !size)
		return;
	memcpy(message->data + message->size, bytes, size);
	message->size += size;
}

void sprof_message_append(struct sprof_message *message, const struct sprof_message *more)
{
	message->failed |= more->failed;
	if (!reserve(message, more->size) || !more->size)
		return;
	memcpy(message->data + message->size, more->data, more->size);
	message->size += more->size;
}
