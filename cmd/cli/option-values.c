/* Parses option values. Rejects text that is not fully understood. */
#include "cmd/cli/option-values.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/ui.h"
#include "events/language/latency.h"
#include "output/format.h"

enum { MAX_COUNT = 1000 * 1000, MOST_PAGES = 1 << 18, LIST_SIZE = 128 };

static const double max_rate = 10000;
/* Slower than one sample a day is a mistake, and the period in ns must fit its type. */
static const double min_rate = 1.0 / (24 * 3600);

bool sprof_value_flag(void *field, const char *text, struct sprof_error *err)
{
	*(bool *)field = true;
	return true;
}

bool sprof_value_ignored(void *field, const char *text, struct sprof_error *err)
{
	return true;
}

bool sprof_value_text(void *field, const char *text, struct sprof_error *err)
{
	if (!text[0])
		return sprof_error_set(err, SPROF_ERROR_USAGE, "is empty");
	if (text[0] == '-' && text[1]) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "is an option, not a value");
		return sprof_error_hint(err, "for a file of this name: ./%.200s", text);
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
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"is a second process; %d was the first", *(pid_t *)field);
	*(pid_t *)field = (pid_t)value;
	return true;
}

bool sprof_value_rate(void *field, const char *text, struct sprof_error *err)
{
	char *end;
	double value = strtod(text, &end);

	/* Also rejects NaN. */
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
			err, SPROF_ERROR_USAGE, "not a percentage above 0 and at most 100");
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
		return sprof_error_set(err, SPROF_ERROR_USAGE, "must be longer than 0");
	*(uint64_t *)field = value;
	return true;
}

/* A number without a unit is in ns, as in perf-prof. */
bool sprof_value_latency(void *field, const char *text, struct sprof_error *err)
{
	char nanoseconds[32];

	if (text[0] && !text[strspn(text, "0123456789")] &&
		strlen(text) < sizeof(nanoseconds) - 2) {
		snprintf(nanoseconds, sizeof(nanoseconds), "%sns", text);
		text = nanoseconds;
	}
	return (sprof_latency_parse(text, strlen(text), field) && *(uint64_t *)field) ||
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"not a time above 0 with its unit: s, ms, us or ns, such as 10ms");
}

/* Said when it is known whether sprof is quiet. */
static const char *bare_interval;

void sprof_value_notes(void)
{
	if (bare_interval)
		sprof_ui_note("--interval %s is read as %sms; add the unit", bare_interval,
			bare_interval);
}

bool sprof_value_interval(void *field, const char *text, struct sprof_error *err)
{
	long value;

	if (parse_integer(text, INT32_MAX, &value)) {
		bare_interval = text;
		*(uint64_t *)field = (uint64_t)value * SPROF_NS_PER_MS;
		return true;
	}
	return (text[strspn(text, "0123456789.")] && sprof_duration_parse(text, field) &&
		       *(uint64_t *)field >= SPROF_NS_PER_MS) ||
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"not a time of at least 1ms with its unit, such as 500ms or 2s");
}

bool sprof_value_json(void *field, const char *text, struct sprof_error *err)
{
	return sprof_value_either("text", "json", text, field, err);
}

bool sprof_value_count(void *field, const char *text, struct sprof_error *err)
{
	long value;

	if (!parse_integer(text, MAX_COUNT, &value))
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "not a number from 1 to %d", MAX_COUNT);
	*(size_t *)field = (size_t)value;
	return true;
}

/* The kernel wants a power of two (perf_event_open(2)). */
bool sprof_value_ring_size(void *field, const char *text, struct sprof_error *err)
{
	long pages;

	if (!parse_integer(text, MOST_PAGES, &pages) || pages & (pages - 1))
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "not a power of two, up to %d", MOST_PAGES);
	*(size_t *)field = (size_t)(pages * sysconf(_SC_PAGESIZE));
	return true;
}

/* "wall, cpu, wait" */
static void list_names(const char *const names[], char *buffer, size_t size)
{
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; names[i] && used < size; i++)
		used += (size_t)snprintf(
			buffer + used, size - used, "%s%s", i ? ", " : "", names[i]);
}

bool sprof_value_choice(
	const char *const names[], const char *text, void *ret, struct sprof_error *err)
{
	char list[LIST_SIZE];

	for (unsigned i = 0; names[i]; i++) {
		if (strcmp(text, names[i]) == 0) {
			*(unsigned *)ret = i;
			return true;
		}
	}
	list_names(names, list, sizeof(list));
	return sprof_error_set(err, SPROF_ERROR_USAGE, "not one of %s", list);
}

bool sprof_value_either(const char *first, const char *second, const char *text, void *field,
	struct sprof_error *err)
{
	const char *const names[] = {first, second, NULL};
	unsigned choice;

	if (!sprof_value_choice(names, text, &choice, err))
		return false;
	*(bool *)field = choice;
	return true;
}

bool sprof_value_mode(void *field, const char *text, struct sprof_error *err)
{
	const char *names[SPROF_MODE_COUNT + 1] = {NULL};

	for (int i = 0; i < SPROF_MODE_COUNT; i++)
		names[i] = sprof_mode_name((enum sprof_mode)i);
	return sprof_value_choice(names, text, field, err);
}

bool sprof_value_report_mode(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_REPORT_MERGED] = "merged",
		[SPROF_REPORT_PER_THREAD] = "per-thread",
		[SPROF_REPORT_BOTH] = "both",
		NULL,
	};

	return sprof_value_choice(names, text, field, err);
}

bool sprof_value_source(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {
		[SPROF_SOURCE_ANY] = "auto",
		[SPROF_SOURCE_PTRACE] = "ptrace",
		[SPROF_SOURCE_PERF] = "kernel",
		NULL,
	};

	/* An old name. */
	return sprof_value_choice(names, strcmp(text, "perf") ? text : "kernel", field, err);
}
