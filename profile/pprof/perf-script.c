/*
 * Reads samples of `perf script` with any of its fields. A frame is "address name+offset (file)";
 * its name may have blanks. Lines about other records than samples have no stack, and are skipped.
 */
#include "profile/pprof/perf-script.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/strings.h"

struct script {
	struct sprof_text_lines *lines;
	char **frames; /* of the sample being read, innermost first */
	size_t count, capacity;
	bool has_thread; /* its thread is known */
	uint64_t period; /* how much of the event it represents; 1: not printed */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Whether a word is "[001]" or "51.500000:", which follow the ids. */
static bool is_behind_ids(const char *word, size_t length)
{
	return word[0] == '[' || (word[length - 1] == ':' && isdigit((unsigned char)word[0]));
}

/*
 * "comm 12 [001] 51.5: ..." or "comm 11/12 ...": the ids. The name of a thread may have blanks and
 * numbers, so the last number before the CPU or the time counts. NULL: none.
 */
static char *find_ids(char *line)
{
	char *ids = NULL;

	for (char *at = line + strcspn(line, " \t"); *at; at += strcspn(at, " \t")) {
		size_t length;

		at += strspn(at, " \t");
		length = strcspn(at, " \t");
		if (!length || is_behind_ids(at, length))
			break;
		if (isdigit((unsigned char)*at) && strspn(at, "0123456789/") == length)
			ids = at;
	}
	return ids;
}

/*
 * "... 51.500000:   250000 cycles: ...": the period behind the time. perf varies it to keep its
 * rate, and its own reports weight each sample by it. 1: there is none.
 */
static uint64_t period_behind(const char *ids)
{
	for (const char *at = ids; *at; at += strspn(at, " \t")) {
		const size_t length = strcspn(at, " \t");
		uint64_t period;
		char *end;

		if (at[0] == '[' || !is_behind_ids(at, length)) {
			at += length;
			continue;
		}
		at += length + strspn(at + length, " \t");
		period = strtoull(at, &end, 10);
		return isdigit((unsigned char)*at) && is_blank(*end) && period ? period : 1;
	}
	return 1;
}

static bool is_frame(const char *line)
{
	line += strspn(line, " \t");
	return isxdigit((unsigned char)*line) && is_blank(line[strspn(line, "0123456789abcdef")]);
}

/* The first sample follows the comments of --header. */
static const uint8_t *skip_comments(const uint8_t *bytes, size_t *size)
{
	while (*size && bytes[0] == '#') {
		size_t length = sprof_text_lines_length(bytes, *size);

		length += length < *size;
		bytes += length;
		*size -= length;
	}
	return bytes;
}

bool sprof_perf_script_is(const uint8_t *bytes, size_t size)
{
	size_t first, second;
	char *text;
	bool is;

	bytes = skip_comments(bytes, &size);
	first = sprof_text_lines_length(bytes, size);
	if (first + 1 >= size || !first || is_blank((char)bytes[0]) ||
		!is_blank((char)bytes[first + 1]))
		return false;
	second = sprof_text_lines_length(bytes + first + 1, size - first - 1);
	if (memchr(bytes, '\0', first + 1 + second))
		return false;
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
	script->period = period_behind(ids);
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

/* Cuts " (file)" off a frame. The file is returned without its folder; NULL: there is none. */
static char *split_file(char *frame)
{
	const size_t length = strlen(frame);
	char *file, *slash;

	if (sprof_string_ends_with(frame, " (deleted))"))
		frame[length - strlen(" (deleted))")] = '\0';
	else if (length && frame[length - 1] == ')')
		frame[length - 1] = '\0';
	file = strstr(frame, " (/");
	if (!file)
		file = strrchr(frame, '(');
	else
		file++;
	if (!file || file == frame || !is_blank(file[-1]))
		return NULL;
	file[-1] = '\0';
	slash = strrchr(file, '/');
	return slash ? slash + 1 : file + 1;
}

/* The function of "addr name+0x12 (file)". If it is not known, the file, in brackets. */
static char *name_of(char *frame)
{
	char *file, *offset, *name;

	frame += strspn(frame, " \t");
	frame += strspn(frame, "0123456789abcdef");
	frame += strspn(frame, " \t");
	file = split_file(frame);
	offset = strstr(frame, "+0x");
	if (offset && strspn(offset + 3, "0123456789abcdef") == strlen(offset + 3))
		*offset = '\0';
	if (strcmp(frame, "[unknown]") != 0 || !file)
		return strdup(frame);
	if (file[0] == '[')
		return strdup(file);
	return asprintf(&name, "[%s]", file) < 0 ? NULL : name;
}

static bool take_frame(struct script *script, char *line, struct sprof_error *err)
{
	char *copy;

	if (!sprof_array_reserve(
		    &script->frames, &script->capacity, script->count + 1, sizeof(*script->frames)))
		return sprof_error_no_memory(err);
	copy = name_of(line);
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
	return !has_stack || sprof_text_lines_add(script->lines, script->period, err);
}

static bool take_line(struct script *script, char *line, struct sprof_error *err)
{
	/* Between frames, "  file.c:12" is the source line of the one above. */
	if (is_blank(line[0]))
		return !script->has_thread || !is_frame(line) || take_frame(script, line, err);
	return end_sample(script, err) &&
		(!line[0] || line[0] == '#' || take_thread(script, line, err));
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
