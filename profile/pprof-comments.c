/*
 * Our own comments in a pprof file: "sprof: NAME=VALUE", as sprof-pprof(5) has them. What is not
 * understood is left alone: it comes from a later sprof, or from someone who writes like one.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/pprof-file.h"
#include "profile/quality.h"

#define STACKS "stacks."

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

static bool is_name(const char *text, size_t length, const char *name)
{
	return strlen(name) == length && memcmp(text, name, length) == 0;
}

static void read_stacks(
	struct sprof_quality *quality, const char *text, size_t length, uint64_t value)
{
	for (int i = 0; i < SPROF_END_COUNT; i++) {
		if (is_name(text, length, sprof_end_name((enum sprof_end)i)))
			quality->stacks[i] = value;
	}
}

static void read_number(
	struct sprof_quality *quality, const char *text, size_t length, uint64_t value)
{
	if (is_name(text, length, "target_pid") && value <= INT32_MAX)
		quality->target_pid = (pid_t)value;
	if (is_name(text, length, "schedstat_missing"))
		quality->schedstat_missing = value;
	if (length > strlen(STACKS) && memcmp(text, STACKS, strlen(STACKS)) == 0)
		read_stacks(quality, text + strlen(STACKS), length - strlen(STACKS), value);
	for (const struct sprof_quality_field *field = sprof_quality_fields; field->name; field++) {
		if (is_name(text, length, field->name))
			*sprof_quality_at(quality, field->offset) = value;
	}
}

bool sprof_pprof_read_comment(
	struct sprof_pprof_file *file, const char *comment, struct sprof_error *err)
{
	struct sprof_profile *profile = file->profile;
	size_t prefix = strlen(SPROF_PPROF_COMMENT), length;
	uint64_t value;

	if (strncmp(comment, SPROF_PPROF_COMMENT, prefix) != 0)
		return true;
	comment += prefix;
	length = strcspn(comment, "=");
	if (!comment[length])
		return true;
	if (is_name(comment, length, "command"))
		return sprof_profile_describe(
			       profile, comment + length + 1, profile->start_realtime_ns) ||
		       sprof_error_no_memory(err);
	if (is_name(comment, length, "rate_hz")) {
		double rate = strtod(comment + length + 1, NULL);

		profile->quality.rate_hz = isfinite(rate) ? rate : 0;
	} else if (parse(comment + length + 1, &value)) {
		read_number(&profile->quality, comment, length, value);
	}
	return true;
}
