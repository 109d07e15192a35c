/*
 * Recognises files that users pass to `sprof report` by mistake: sprof's other formats, and other
 * tools' files. A pprof file differs from text by its length bytes, which are not characters.
 */
#include "profile/pprof/other-file.h"

#include <string.h>

enum { LOOKED_AT = 512 };

static const struct {
	const char *start, *what;
} known[] = {
	{"PERFILE2", "perf's own file, of perf record"},
	{"\177ELF", "a program or a core dump"},
	{"gmon", "gprof's file"},
	{"# callgrind", "a callgrind file"},
	{"\211PNG", "a picture"},
	{"<svg", "a picture"},
	{"<?xml", "a picture"},
	{"<", "a page for a browser"},
	{"{", "JSON"},
	{"[", "JSON"},
	{"digraph", "a graph for dot"},
};

/* No control characters except those of text. */
static bool is_text(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size && i < LOOKED_AT; i++) {
		if (!bytes[i] || (bytes[i] < ' ' && !strchr("\n\t\r\033", bytes[i])))
			return false;
	}
	return true;
}

/* Stacks, then a number: "main;work 12". NULL: other text. */
static const char *kind_of_text(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, '\n', size);
	size_t length = end ? (size_t)(end - bytes) : size, digits = 0;

	while (digits < length && bytes[length - 1 - digits] >= '0' &&
		bytes[length - 1 - digits] <= '9')
		digits++;
	if (digits && digits < length && bytes[length - 1 - digits] == ' ')
		return "folded stacks";
	return NULL;
}

static const char *find(const uint8_t *bytes, size_t size)
{
	if (!size)
		return "empty";
	if (is_text(bytes, size) && kind_of_text(bytes, size))
		return kind_of_text(bytes, size);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i].start);

		if (size >= length && memcmp(bytes, known[i].start, length) == 0)
			return known[i].what;
	}
	return is_text(bytes, size) ? "text" : NULL;
}

bool sprof_is_other_file(
	const uint8_t *bytes, size_t size, const char *name, struct sprof_error *err)
{
	const char *what = find(bytes, size);

	if (!what)
		return false;
	sprof_error_set(
		err, SPROF_ERROR_UNSUPPORTED, "%s: not a saved profile: it is %s", name, what);
	sprof_error_hint(
		err, "sprof reads pprof files, such as those of sprof run -o profile.pb.gz");
	return true;
}
