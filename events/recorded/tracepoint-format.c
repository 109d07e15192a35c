/*
 * Parses lines such as "field:pid_t prev_pid; offset:24; size:4; signed:1;". Does not handle bit
 * fields.
 */
#include "events/recorded/tracepoint-format.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 64 };

/* Finds "KEY:" on the line and parses the number after it. */
static bool scan_property(const char *line, const char *end, const char *key, uint32_t *ret)
{
	const size_t length = strlen(key);
	const char *at = line;
	unsigned long value;

	for (; at + length < end; at++) {
		if (!memcmp(at, key, length) && at[length] == ':')
			break;
	}
	if (at + length >= end || !isdigit((unsigned char)at[length + 1]))
		return false;
	value = strtoul(at + length + 1, NULL, 10);
	*ret = (uint32_t)value;
	return value <= UINT16_MAX;
}

static bool is_word(char character)
{
	return isalnum((unsigned char)character) || character == '_';
}

/* Whether the declaration, such as "unsigned short common_type", ends with this name. */
static bool declares(const char *declaration, const char *end, const char *name)
{
	const size_t length = strlen(name);

	if ((size_t)(end - declaration) <= length || memcmp(end - length, name, length))
		return false;
	return !is_word(end[-(ptrdiff_t)length - 1]);
}

/* The line of the field. NULL: none. Sets *ret_end to the line's end. */
static const char *find_line(const char *text, const char *name, const char **ret_end)
{
	static const char mark[] = "field:";

	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *at = line + strspn(line, " \t");
		const char *end = line + strcspn(line, "\n");
		const char *semicolon;

		if (strncmp(at, mark, sizeof(mark) - 1))
			continue;
		at += sizeof(mark) - 1;
		semicolon = memchr(at, ';', (size_t)(end - at));
		if (!semicolon || !declares(at, semicolon, name))
			continue;
		*ret_end = end;
		return semicolon;
	}
	return NULL;
}

bool sprof_tracepoint_format_find_elements(
	const char *text, const char *name, unsigned count, struct sprof_tracepoint_field *ret)
{
	char array[NAME_SIZE];
	const char *end, *line;
	uint32_t is_signed = 0;

	snprintf(array, sizeof(array), "%s[%u]", name, count);
	line = find_line(text, count > 1 ? array : name, &end);
	if (!line || !scan_property(line, end, "offset", &ret->offset) ||
		!scan_property(line, end, "size", &ret->size) || ret->size % count)
		return false;
	ret->size /= count;
	ret->is_signed = scan_property(line, end, "signed", &is_signed) && is_signed;
	return ret->size == 1 || ret->size == 2 || ret->size == 4 || ret->size == 8;
}

bool sprof_tracepoint_format_find(
	const char *text, const char *name, struct sprof_tracepoint_field *ret)
{
	return sprof_tracepoint_format_find_elements(text, name, 1, ret);
}

static int64_t extend(uint64_t value, unsigned bits, bool is_signed)
{
	const unsigned unused = 64 - bits;

	if (!is_signed)
		return (int64_t)value;
	return (int64_t)(value << unused) >> unused;
}

bool sprof_tracepoint_field_read(
	const struct sprof_tracepoint_field *field, const void *raw, size_t size, int64_t *ret)
{
	const unsigned char *at = raw;
	uint64_t value = 0;

	if (field->offset > size || field->size > size - field->offset)
		return false;
	at += field->offset;
	/* The bytes are in the machine's order: that of x86-64 and of arm64 with Linux. */
	for (uint32_t i = 0; i < field->size; i++)
		value |= (uint64_t)at[i] << (8 * i);
	*ret = extend(value, 8 * field->size, field->is_signed);
	return true;
}
