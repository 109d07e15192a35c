/*
 * sprof's comments in a pprof file: "sprof: NAME=VALUE", see sprof-pprof(5). Unknown names are
 * ignored: they come from a later sprof, or from another program.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "profile/model/quality.h"
#include "profile/pprof/file.h"

#define STACKS "stacks."
#define GAP "gap."
#define GAP_HELP "gap_help."

static bool parse(const char *text, uint64_t *ret)
{
	char *end;
	uint64_t value;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (errno || *end)
		return false;
	*ret = value;
	return true;
}

static void read_stacks(
	struct sprof_quality *quality, const char *text, size_t length, uint64_t value)
{
	for (int i = 0; i < SPROF_END_COUNT; i++) {
		if (sprof_string_is(text, length, sprof_end_name((enum sprof_end)i)))
			quality->stacks[i] = value;
	}
}

static void read_number(
	struct sprof_quality *quality, const char *text, size_t length, uint64_t value)
{
	if (sprof_string_is(text, length, "target_pid") && value <= INT32_MAX)
		quality->target_pid = (pid_t)value;
	if (sprof_string_is(text, length, "schedstat_missing"))
		quality->schedstat_missing = value;
	if (length > strlen(STACKS) && memcmp(text, STACKS, strlen(STACKS)) == 0)
		read_stacks(quality, text + strlen(STACKS), length - strlen(STACKS), value);
	for (const struct sprof_quality_field *field = sprof_quality_fields; field->name; field++) {
		if (sprof_string_is(text, length, field->name))
			*sprof_quality_at(quality, field->offset) = value;
	}
}

/*
 * "gap.3", "gap_help.3": for the module of mapping 3. Of several mappings of a module, the first
 * has what its rows have.
 */
static bool read_gap(struct sprof_pprof_file *file, const char *comment, const char *text)
{
	bool is_help = sprof_string_starts_with(comment, GAP_HELP);
	const char *digits = comment + strlen(is_help ? GAP_HELP : GAP);
	uint32_t mapping = sprof_pprof_ids_find(&file->mapping_ids, strtoull(digits, NULL, 10));
	struct sprof_profile_module *facts;
	const char *copy;

	if (mapping == SPROF_IDMAP_NONE)
		return true;
	copy = sprof_build_string(file->profile, text, strlen(text));
	facts = &file->profile->module_facts[file->mappings[mapping].module];
	if (is_help && !facts->gap_help)
		facts->gap_help = copy;
	else if (!is_help && !facts->gap_why)
		facts->gap_why = copy;
	return copy;
}

/* "included.7=3": the lines of function 7 are function 3's, in another file. */
static void read_included(struct sprof_pprof_file *file, const char *comment, const char *text)
{
	const char *digits = comment + strlen(SPROF_PPROF_INCLUDED ".");
	uint32_t function = sprof_pprof_ids_find(&file->function_ids, strtoull(digits, NULL, 10));
	uint32_t by = sprof_pprof_ids_find(&file->function_ids, strtoull(text, NULL, 10));

	if (function != SPROF_IDMAP_NONE && by != SPROF_IDMAP_NONE)
		file->included_by[function] = by;
}

static void read_mode(struct sprof_quality *quality, const char *text)
{
	for (int i = 0; i < SPROF_MODE_COUNT; i++) {
		if (strcmp(text, sprof_mode_name((enum sprof_mode)i)) == 0)
			quality->mode = (enum sprof_mode)i;
	}
}

static bool read_comment(
	struct sprof_pprof_file *file, const char *comment, struct sprof_error *err)
{
	struct sprof_profile *profile = file->profile;
	size_t length = strcspn(comment, "=");
	const char *text = comment + length + 1;
	bool ok = true;
	uint64_t value;

	if (!comment[length])
		return true;
	if (sprof_string_is(comment, length, "command")) {
		ok = sprof_profile_describe(profile, text, profile->start_realtime_ns);
	} else if (sprof_string_is(comment, length, "mode")) {
		read_mode(&profile->quality, text);
	} else if (sprof_string_is(comment, length, "rate_hz")) {
		double rate = strtod(text, NULL);

		profile->quality.rate_hz = isfinite(rate) && rate > 0 ? rate : 0;
	} else if (sprof_string_starts_with(comment, GAP) ||
		sprof_string_starts_with(comment, GAP_HELP)) {
		ok = read_gap(file, comment, text);
	} else if (sprof_string_is(comment, length, SPROF_PPROF_SLICE)) {
		profile->slice_ns = parse(text, &value) && value <= INT64_MAX ? value : 0;
	} else if (sprof_string_starts_with(comment, SPROF_PPROF_INCLUDED ".")) {
		read_included(file, comment, text);
	} else if (!sprof_pprof_read_place(file, comment, text)) {
		ok = false;
	} else if (parse(text, &value)) {
		read_number(&profile->quality, comment, length, value);
	}
	return ok || sprof_error_no_memory(err);
}

static bool read_field(struct sprof_pprof_file *file, const struct sprof_wire_field *field,
	struct sprof_error *err)
{
	size_t prefix = strlen(SPROF_PPROF_COMMENT);
	struct sprof_wire numbers = field->bytes;
	uint64_t index = field->value;
	const char *text;

	while (!field->is_bytes || sprof_wire_number(&numbers, &index)) {
		if (!sprof_pprof_text(file, index, &text, err))
			return false;
		if (strncmp(text, SPROF_PPROF_COMMENT, prefix) != 0) {
			if (!sprof_build_comment(file->profile, text))
				return sprof_error_no_memory(err);
		} else if (!read_comment(file, text + prefix, err)) {
			return false;
		}
		if (!field->is_bytes)
			break;
	}
	return true;
}

bool sprof_pprof_read_comments(struct sprof_pprof_file *file, struct sprof_error *err)
{
	struct sprof_wire all = file->all;
	struct sprof_wire_field field;

	while (sprof_wire_next(&all, &field)) {
		if (field.number == SPROF_PPROF_COMMENT_FIELD && !read_field(file, &field, err))
			return false;
	}
	return true;
}
