/* Parses the argument of --detail. Does not check that it fits the run's sources. */
#include "events/pairs/details.h"

#include <string.h>

#include "events/language/latency.h"

static const struct {
	const char *name;
	size_t offset; /* of a bool in struct sprof_details_options */
} words[] = {
	{"samecpu", offsetof(struct sprof_details_options, same_cpu)},
	{"samepid", offsetof(struct sprof_details_options, same_pid)},
	{"sametid", offsetof(struct sprof_details_options, same_tid)},
	{"samekey", offsetof(struct sprof_details_options, same_key)},
	{"1", offsetof(struct sprof_details_options, not_event2)},
	{"2", offsetof(struct sprof_details_options, not_event1)},
};

static const struct {
	const char *begin;
	size_t offset; /* of a uint64_t */
} times[] = {
	{"-", offsetof(struct sprof_details_options, before_ns)},
	{"+", offsetof(struct sprof_details_options, after_ns)},
	{"hide<", offsetof(struct sprof_details_options, hide_ns)},
};

static bool parse_time(const char *at, size_t length, size_t column,
	struct sprof_details_options *options, struct sprof_error *err)
{
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		size_t begin = strlen(times[i].begin);
		uint64_t *field = (uint64_t *)((char *)options + times[i].offset);

		if (length < begin || memcmp(at, times[i].begin, begin))
			continue;
		if (sprof_latency_parse(at + begin, length - begin, field))
			return true;
		return sprof_error_set(err, SPROF_ERROR_USAGE,
			"column %zu: not a time with a unit, such as 4ms or 10us", column + begin);
	}
	sprof_error_set(err, SPROF_ERROR_USAGE, "column %zu: no detail is called '%.*s'", column,
		length < 64 ? (int)length : 64, at);
	sprof_error_hint(err,
		"the details are -TIME, +TIME, hide<TIME, 1, 2, samecpu, samepid, "
		"sametid, samekey");
	return false;
}

static bool parse_word(const char *at, size_t length, size_t column,
	struct sprof_details_options *options, struct sprof_error *err)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strlen(words[i].name) != length || memcmp(at, words[i].name, length))
			continue;
		*(bool *)((char *)options + words[i].offset) = true;
		return true;
	}
	return parse_time(at, length, column, options, err);
}

bool sprof_details_parse(
	const char *text, struct sprof_details_options *ret, struct sprof_error *err)
{
	struct sprof_details_options options = {0};
	const char *at = text;

	*ret = options;
	if (!strcmp(text, "all"))
		return true;
	for (;;) {
		size_t length = strcspn(at, ",");

		if (!parse_word(at, length, (size_t)(at - text) + 1, &options, err))
			return false;
		at += length;
		if (!*at)
			break;
		at++;
	}
	/* Both together are what neither says. */
	if (options.not_event1 && options.not_event2) {
		options.not_event1 = false;
		options.not_event2 = false;
	}
	*ret = options;
	return true;
}
