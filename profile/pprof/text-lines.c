/* Reads lines of text, and adds their samples to a profile. Does not know any format. */
#include "profile/pprof/text-lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/pprof/file.h"

static const struct sprof_kind counted = {"count", "count", SPROF_FOLD_SUM};

bool sprof_text_lines_begin(struct sprof_text_lines *lines,
	const struct sprof_pprof_options *options, struct sprof_error *err)
{
	const struct sprof_profile_context context = {.state = SPROF_STATE_COUNT};
	struct sprof_kinds *kinds = &lines->profile->kinds;

	if (options->kind && strcmp(options->kind, counted.name) != 0) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "%s has no values called %s", lines->name,
			options->kind);
		sprof_error_hint(err, "it has: %s", counted.name);
		return false;
	}
	kinds->has_times = false;
	kinds->further[kinds->further_count++] = counted;
	kinds->shown = SPROF_WEIGHT_FURTHER;
	lines->row.stack = SPROF_PROFILE_ROOT;
	return sprof_build_context(lines->profile, &context, &lines->row.context) ||
		sprof_error_no_memory(err);
}

size_t sprof_text_lines_length(const uint8_t *bytes, size_t size)
{
	const uint8_t *end = memchr(bytes, '\n', size);

	return end ? (size_t)(end - bytes) : size;
}

/* Lines of other systems end with a return, too. */
bool sprof_text_lines_next(
	struct sprof_text_lines *lines, char **ret, size_t *ret_length, struct sprof_error *err)
{
	const size_t left = (size_t)(lines->end - lines->at);
	size_t length = sprof_text_lines_length(lines->at, left);
	const uint8_t *begin = lines->at;

	*ret = NULL;
	if (!left)
		return true;
	lines->number++;
	lines->at += length + (length < left);
	if (length && begin[length - 1] == '\r')
		length--;
	if (memchr(begin, '\0', length))
		return sprof_text_lines_fail(lines, "is not text", err);
	if (!sprof_array_reserve(&lines->line, &lines->capacity, length + 1, 1))
		return sprof_error_no_memory(err);
	memcpy(lines->line, begin, length);
	lines->line[length] = '\0';
	*ret = lines->line;
	*ret_length = length;
	return true;
}

bool sprof_text_lines_fail(
	const struct sprof_text_lines *lines, const char *what, struct sprof_error *err)
{
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED, "%s: line %zu of %s %s", lines->name,
		lines->number, lines->kind, what);
}

bool sprof_text_lines_push(
	struct sprof_text_lines *lines, const char *frame, struct sprof_error *err)
{
	uint32_t location;

	if (lines->profile->stack_count > SPROF_PPROF_MAX_ITEMS)
		return sprof_text_lines_fail(lines, "has more stacks than sprof reads", err);
	return (sprof_profile_name_location(
			lines->profile, frame[0] ? frame : "[unknown]", &location) &&
		       sprof_profile_push(
			       lines->profile, lines->row.stack, location, &lines->row.stack)) ||
		sprof_error_no_memory(err);
}

bool sprof_text_lines_add(struct sprof_text_lines *lines, uint64_t value, struct sprof_error *err)
{
	lines->row.metrics.further = value;
	if (!sprof_build_row(lines->profile, &lines->row, &value))
		return sprof_error_no_memory(err);
	lines->row.stack = SPROF_PROFILE_ROOT;
	return true;
}

void sprof_text_lines_finish(struct sprof_text_lines *lines)
{
	free(lines->line);
}
