/*
 * What the user wrote -> what the program means. Refuses whatever is not wholly understood.
 */
#include "cmd/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/clock.h"
#include "output/format.h"

enum { MAX_COUNT = 1000 * 1000 };

static const double max_rate = 10000;
/* Slower than one sample a day is a mistake, and the period in ns must fit its type. */
static const double min_rate = 1.0 / (24 * 3600);

bool sprof_value_flag(void *field, const char *text, struct sprof_error *err)
{
	*(bool *)field = true;
	return true;
}

bool sprof_value_text(void *field, const char *text, struct sprof_error *err)
{
	if (!text[0])
		return sprof_error_set(err, SPROF_ERROR_USAGE, "is empty");
	if (text[0] == '-' && text[1]) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "is an option, and no value");
		sprof_error_hint(err, "of a file of this name: ./%s", text);
		return false;
	}
	*(const char **)field = text;
	return true;
}

/* Digits only: strtol(3) alone would take blanks and signs. */
static bool parse_integer(const char *text, long max, long *ret)
{
	char *end;
	long value;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno || *end || value < 1 || value > max)
		return false;
	*ret = value;
	return true;
}

bool sprof_value_pid(void *field, const char *text, struct sprof_error *err)
{
	long value;

	if (!parse_integer(text, INT32_MAX, &value))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "not a process id");
	if (*(pid_t *)field)
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "is a second process; %d was the first", *(pid_t *)field);
	*(pid_t *)field = (pid_t)value;
	return true;
}

bool sprof_value_rate(void *field, const char *text, struct sprof_error *err)
{
	char *end;
	double value = strtod(text, &end);

	/* Written so that NaN is refused too. */
	if (end == text || *end || !(value >= min_rate && value <= max_rate))
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"not a rate: samples per second, above 0 and at most %.0f", max_rate);
	*(double *)field = value;
	return true;
}

bool sprof_value_percentage(void *field, const char *text, struct sprof_error *err)
{
	char *end;
	double value = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !(value > 0 && value <= 100))
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "not a number of percent, above 0 and at most 100");
	*(double *)field = value / 100;
	return true;
}

bool sprof_value_time(void *field, const char *text, struct sprof_error *err)
{
	uint64_t value;

	if (!sprof_duration_parse(text, &value))
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"not a time: a number of seconds, or with units, such as 10, 500ms, 1m30s");
	*(uint64_t *)field = value;
	return true;
}

bool sprof_value_duration(void *field, const char *text, struct sprof_error *err)
{
	uint64_t value;

	if (!sprof_value_time(&value, text, err))
		return false;
	if (!value)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "must be longer than nothing");
	*(uint64_t *)field = value;
	return true;
}

bool sprof_value_count(void *field, const char *text, struct sprof_error *err)
{
	long value;

	if (!parse_integer(text, MAX_COUNT, &value))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "not a number from 1 to %d", MAX_COUNT);
	*(size_t *)field = (size_t)value;
	return true;
}

bool sprof_value_mode(void *field, const char *text, struct sprof_error *err)
{
	for (int i = 0; i < SPROF_MODE_COUNT; i++) {
		if (strcmp(text, sprof_mode_name((enum sprof_mode)i)) == 0) {
			*(enum sprof_mode *)field = (enum sprof_mode)i;
			return true;
		}
	}
	return sprof_error_set(err, SPROF_ERROR_USAGE, "not one of wall, cpu, wait");
}

bool sprof_value_report_mode(void *field, const char *text, struct sprof_error *err)
{
	static const struct {
		const char *name;
		enum sprof_report_mode mode;
	} modes[] = {
		{"merged", SPROF_REPORT_MERGED},
		{"per-thread", SPROF_REPORT_PER_THREAD},
		{"both", SPROF_REPORT_BOTH},
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		if (strcmp(text, modes[i].name) == 0) {
			*(enum sprof_report_mode *)field = modes[i].mode;
			return true;
		}
	}
	return sprof_error_set(err, SPROF_ERROR_USAGE, "not one of merged, per-thread, both");
}
