/*
 * JSON strings and numbers (RFC 8259). Strings from targets go through clean.c, which handles
 * UTF-8; here only ASCII is escaped.
 */
#include "output/json.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/numbers.h"
#include "output/clean.h"

bool sprof_json_open(struct sprof_json *json, struct sprof_out *out, bool pack)
{
	*json = (struct sprof_json){.out = out, .gzip = pack ? sprof_gzip_create(out) : NULL};
	return !pack || json->gzip;
}

void sprof_json_close(struct sprof_json *json)
{
	sprof_gzip_finish(json->gzip);
	json->gzip = NULL;
}

static void put(struct sprof_json *json, const char *bytes, size_t size)
{
	if (json->gzip)
		sprof_gzip_write(json->gzip, bytes, size);
	else
		sprof_out_write(json->out, bytes, size);
}

void sprof_json_text(struct sprof_json *json, const char *text)
{
	put(json, text, strlen(text));
}

void sprof_json_format(struct sprof_json *json, const char *format, ...)
{
	char brief[256];
	SPROF_AUTO_FREE char *whole = NULL;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(brief, sizeof(brief), format, args);
	va_end(args);
	if (length >= (int)sizeof(brief)) {
		va_start(args, format);
		length = vasprintf(&whole, format, args);
		va_end(args);
		whole = length < 0 ? NULL : whole;
	}
	if (length < 0)
		sprof_out_fail(json->out, ENOMEM);
	else
		put(json, whole ? whole : brief, (size_t)length);
}

/* printf would take most of the time of a large file. */
void sprof_json_number(struct sprof_json *json, uint64_t number)
{
	char text[24], *end = text + sizeof(text), *start = sprof_digits(end, number);

	put(json, start, (size_t)(end - start));
}

static void put_quoted(struct sprof_json *json, const char *text)
{
	put(json, "\"", 1);
	while (*text) {
		size_t plain = strcspn(text, "\"\\<");

		put(json, text, plain);
		text += plain;
		if (*text)
			sprof_json_format(json, "\\u%04x", (unsigned char)*text++);
	}
	put(json, "\"", 1);
}

void sprof_json_name(struct sprof_json *json, const char *text)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(text, NULL);

	if (clean)
		put_quoted(json, clean);
	else
		sprof_out_fail(json->out, ENOMEM);
}

void sprof_json_string(struct sprof_json *json, const char *text)
{
	if (!text)
		sprof_json_text(json, "null");
	else if (!text[0])
		sprof_json_text(json, "\"\"");
	else
		sprof_json_name(json, text);
}

void sprof_json_member_string(struct sprof_json *json, const char *before, const char *text)
{
	sprof_json_text(json, before);
	sprof_json_string(json, text);
}

void sprof_json_member_name(struct sprof_json *json, const char *before, const char *text)
{
	sprof_json_text(json, before);
	sprof_json_name(json, text);
}

void sprof_json_comma(struct sprof_json *json, bool *first)
{
	if (!*first)
		put(json, ",", 1);
	*first = false;
}
