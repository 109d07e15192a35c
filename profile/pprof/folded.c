/*
 * Folded stacks, line by line. A blank and a whole number end a line. If each of several lines
 * ends with two numbers, the file is a difference, which is no profile; otherwise the first of two
 * numbers is part of a name. Names stay as they are: the marks of other tools are parts of them.
 */
#include "profile/pprof/folded.h"

#include <stdlib.h>
#include <string.h>

#include "profile/pprof/text-lines.h"

/* The length of the line without its number. 0: it ends with none. */
static size_t length_of_stack(const char *line, size_t length)
{
	size_t begin = length;

	while (begin && line[begin - 1] >= '0' && line[begin - 1] <= '9')
		begin--;
	return begin && begin < length && line[begin - 1] == ' ' ? begin - 1 : 0;
}

bool sprof_folded_is(const uint8_t *bytes, size_t size)
{
	size_t length = sprof_text_lines_length(bytes, size);

	if (length && bytes[length - 1] == '\r')
		length--;
	return length_of_stack((const char *)bytes, length);
}

static bool has_two_numbers(const char *line, size_t length)
{
	return length_of_stack(line, length_of_stack(line, length));
}

static bool refuse_difference(const struct sprof_text_lines *lines, struct sprof_error *err)
{
	sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"%s: each line of %s has two numbers: a difference", lines->name, lines->kind);
	sprof_error_hint(err, "sprof diff compares the profiles that it was made of");
	return false;
}

static bool take_line(
	struct sprof_text_lines *lines, char *line, size_t length, struct sprof_error *err)
{
	const size_t end = length_of_stack(line, length);
	char *rest = line, *name;
	uint64_t value;

	if (!end)
		return sprof_text_lines_fail(lines, "ends with no whole number", err);
	value = strtoull(line + end, NULL, 10);
	if (value > INT64_MAX)
		return sprof_text_lines_fail(lines, "has a number that is too large", err);
	line[end] = '\0';
	while ((name = strsep(&rest, ";"))) {
		if (!sprof_text_lines_push(lines, name, err))
			return false;
	}
	return sprof_text_lines_add(lines, value, err);
}

bool sprof_folded_read(struct sprof_text_lines *lines, struct sprof_error *err)
{
	const struct sprof_build_thread unknown = {0};
	size_t length, stacks = 0, with_two = 0;
	char *line;

	if (!sprof_build_thread(lines->profile, &unknown, &lines->row.thread))
		return sprof_error_no_memory(err);
	for (;;) {
		if (!sprof_text_lines_next(lines, &line, &length, err))
			return false;
		if (!line)
			break;
		if (!length)
			continue;
		stacks++;
		with_two += has_two_numbers(line, length);
		if (!take_line(lines, line, length, err))
			return false;
	}
	return stacks == 1 || with_two < stacks || refuse_difference(lines, err);
}
