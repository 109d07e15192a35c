/*
 * Writes the fields and strings of a pprof file in sequence. A string is written when a field first
 * refers to it.
 */
#include "output/pprof/pprof.h"

#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "profile/pprof/file.h"

static void put_raw(
	struct sprof_pprof_writer *writer, uint32_t field, const void *bytes, size_t size)
{
	struct sprof_message *frame = &writer->frame;

	frame->size = 0;
	sprof_message_add_bytes(frame, field, bytes, size);
	writer->failed |= frame->failed;
	if (!writer->failed)
		sprof_gzip_write(writer->gzip, frame->data, frame->size);
}

void sprof_pprof_put(
	struct sprof_pprof_writer *writer, uint32_t field, struct sprof_message *message)
{
	writer->failed |= message->failed;
	put_raw(writer, field, message->data, message->size);
	message->size = 0;
}

void sprof_pprof_begin_strings(struct sprof_pprof_writer *writer)
{
	put_raw(writer, SPROF_PPROF_STRING, "", 0);
	writer->string_count = 1;
}

uint32_t sprof_pprof_new_string(struct sprof_pprof_writer *writer, const char *text)
{
	SPROF_AUTO_FREE char *clean = text ? sprof_clean_text(text, NULL) : NULL;

	if (!clean) {
		writer->failed = true;
		return 0;
	}
	put_raw(writer, SPROF_PPROF_STRING, clean, strlen(clean));
	return writer->string_count++;
}

uint32_t sprof_pprof_string(struct sprof_pprof_writer *writer, const char *text)
{
	uint64_t key = (uint64_t)(uintptr_t)text;
	uint32_t number;

	if (!text || !text[0])
		return 0;
	number = sprof_idmap_find(&writer->strings, 0, key);
	if (number == SPROF_IDMAP_NONE) {
		number = sprof_pprof_new_string(writer, text);
		writer->failed |= !sprof_idmap_put(&writer->strings, 0, key, number);
	}
	return number;
}
