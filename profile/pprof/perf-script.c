/*
 * Reads samples of `perf script` with any of its fields. A frame is "address name+offset (file)"; its
 * name may have blanks. Lines about other records than samples have no stack, and are skipped.
 */
#include "profile/pprof/perf-script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct script {
	struct sprof_text_lines *lines;
	char **frames; /* of the sample being read, innermost first */
	size_t count, capacity;
	bool has_thread; /* its thread is known */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* "comm 12 ..." or "comm 11/12 ...", where comm may have blanks. Returns what follows comm; NULL: none. */
static char *find_ids(char *line)
{
	for (char *at = line; *at; at++) {
		const size_t digits = strspn(at, "0123456789/");

		if (at > line && is_blank(at[-1]) && isdigit((unsigned char)*at) &&
			(!at[digits] || is_blank(at[digits])))
			return at;
	}
	return NULL;
}

static bool is_frame(const char *line)
{
	line += strspn(line, " \t");
	return isxdigit((unsigned char)*line) && is_blank(line[strspn(line, "0123456789abcdef")]);
}

bool sprof_perf_script_is(const uint8_t *bytes, size_t size)
{
	const size_t first = sprof_text_lines_length(bytes, size);
	size_t second;
	char *text;
	bool is;

	if (first + 1 >= size || !first || is_blank((char)bytes[0]) ||
		!is_blank((char)bytes[first + 1]))
		return false;
	second = sprof_text_lines_length(bytes + first + 1, size - first - 1);
	text = strndup((const char *)bytes, first + 1 + second);
	if (!text)
		return false;
	is = is_frame(text + first + 1);
	text[first] = '\0';
	is &= find_ids(text) != NULL;
	free(text);
	return is;
}

static bool take_thread(struct script *script, char *line, struct sprof_error *err)
{
	struct sprof_text_lines *lines = script->lines;
	char *ids = find_ids(line), *end;
	struct sprof_build_thread thread = {0};
	unsigned long first;

	if (!ids)
		return true;
	for (end = ids; end > line && is_blank(end[-1]); end--)
		;
	*end = '\0';
	first = strtoul(ids, &end, 10);
	thread.tid = (pid_t)(*end == '/' ? strtoul(end + 1, NULL, 10) : first);
	thread.pid = (pid_t)first;
	thread.name = line;
	script->has_thread = true;
	return sprof_build_thread(lines->profile, &thread, &lines->row.thread) ||
		sprof_error_no_memory(err);
}

/* "name+0x12 (file)": the name, or [file] if it is not known. */
static char *name_of(char *frame)
{
	char *file = strrchr(frame, '('), *offset, *slash;

	frame += strspn(frame, " \t");
	frame += strspn(frame, "0123456789abcdef");
	frame += strspn(frame, " \t");
	if (file && file > frame && is_blank(file[-1]))
		file[-1] = '\0';
	offset = strstr(frame, "+0x");
	if (offset && strspn(offset + 3, "0123456789abcdef") == strlen(offset + 3))
		*offset = '\0';
	if (strcmp(frame, "[unknown]") != 0 || !file || file < frame)
		return frame;
	slash = strrchr(file, '/');
	file = slash ? slash : file;
	file[0] = '[';
	file[strcspn(file, ")")] = ']';
	return file;
}

static bool take_frame(struct script *script, char *line, struct sprof_error *err)
{
	char *copy;

	if (!sprof_array_reserve(
		    &script->frames, &script->capacity, script->count + 1, sizeof(*script->frames)))
		return sprof_error_no_memory(err);
	copy = strdup(name_of(line));
	if (!copy)
		return sprof_error_no_memory(err);
	script->frames[script->count++] = copy;
	return true;
}

static void drop_frames(struct script *script)
{
	while (script->count)
		free(script->frames[--script->count]);
}

static bool end_sample(struct script *script, struct sprof_error *err)
{
	const bool has_stack = script->has_thread && script->count;

	for (size_t i = script->count; has_stack && i > 0; i--) {
		if (!sprof_text_lines_push(script->lines, script->frames[i - 1], err))
			return false;
	}
	drop_frames(script);
	script->has_thread = false;
	return !has_stack || sprof_text_lines_add(script->lines, 1, err);
}

static bool take_line(struct script *script, char *line, struct sprof_error *err)
{
	if (is_blank(line[0]) && is_frame(line))
		return take_frame(script, line, err);
	return end_sample(script, err) && (!line[0] || take_thread(script, line, err));
}

static bool read_all(struct script *script, struct sprof_error *err)
{
	size_t length;
	char *line;

	for (;;) {
		if (!sprof_text_lines_next(script->lines, &line, &length, err))
			return false;
		if (!line)
			return end_sample(script, err);
		if (!take_line(script, line, err))
			return false;
	}
}

bool sprof_perf_script_read(struct sprof_text_lines *lines, struct sprof_error *err)
{
	struct script script = {.lines = lines};
	const bool ok = read_all(&script, err);

	drop_frames(&script);
	free(script.frames);
	return ok;
}
