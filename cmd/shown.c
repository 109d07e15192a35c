/*
 * Filters and the options of the text report. What they mean, profile/filter.c and output/ know.
 */
#include "cmd/shown.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/values.h"

#define FIELD(name) offsetof(struct sprof_shown, name)

enum {
	TOP = 30 /* rows of a table, if nothing else is said */
};

static bool set_percent(void *field, const char *text, struct sprof_error *err)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value <= 100))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "not a percentage from 0 to 100");
	*(double *)field = value;
	return true;
}

static bool set_sort(void *field, const char *text, struct sprof_error *err)
{
	bool by_total = strcmp(text, "total") == 0;

	if (!by_total && strcmp(text, "self") != 0)
		return sprof_error_set(err, SPROF_ERROR_USAGE, "not one of self, total");
	*(bool *)field = by_total;
	return true;
}

/* A row's field is the whole struct: that it was said makes it a text report. */
static bool set_report_mode(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_shown *shown = field;

	shown->mode_said = true;
	return sprof_value_report_mode(&shown->report_mode, text, err);
}

/* Adds the state, or the states that a class of time comes from. */
static bool add_state(unsigned *states, const char *name)
{
	unsigned before = *states;

	if (strcmp(name, "wait") == 0)
		*states |= 1u << SPROF_STATE_SLEEP | 1u << SPROF_STATE_DISK |
			1u << SPROF_STATE_STOPPED;
	for (int i = 0; i < SPROF_STATE_COUNT; i++) {
		if (strcmp(name, sprof_state_name((enum sprof_state)i)) == 0)
			*states |= 1u << i;
	}
	return *states != before || (before && before == *states);
}

static bool set_states(void *field, const char *text, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *copy = strdup(text);
	char *rest = copy, *name;

	if (!copy)
		return sprof_error_no_memory(err);
	while ((name = strsep(&rest, ","))) {
		unsigned states = 0;

		if (!add_state(&states, name)) {
			sprof_error_set(err, SPROF_ERROR_USAGE, "no such state");
			sprof_error_hint(err, "the states are user, sys, sleep, disk, stopped, and "
					      "wait for the last three");
			return false;
		}
		*(unsigned *)field |= states;
	}
	return true;
}

static bool set_pattern(void *field, const char *text, struct sprof_error *err)
{
	if (!text[0])
		return sprof_error_set(err, SPROF_ERROR_USAGE, "is empty");
	if (!sprof_filter_check(text, err))
		return false;
	*(const char **)field = text;
	return true;
}

const struct sprof_option sprof_shown_filter_table[] = {
	{"focus", NULL, "REGEX", "only stacks with a function that matches", set_pattern,
		FIELD(filter.focus)},
	{"ignore", NULL, "REGEX", "no stacks with a function that matches", set_pattern,
		FIELD(filter.ignore)},
	{"hide", NULL, "REGEX", "take functions that match out of the stacks", set_pattern,
		FIELD(filter.hide)},
	{"thread", NULL, "REGEX", "only threads whose name matches, or with this id", set_pattern,
		FIELD(filter.thread)},
	{"state", NULL, "STATES", "only samples in these states: user,sys,sleep,disk,stopped,wait",
		set_states, FIELD(filter.states)},
	{"label", NULL, "NAME=REGEX", "only samples with a label of this name that matches",
		set_pattern, FIELD(filter.label)},
	{0},
};

const struct sprof_option sprof_shown_report_table[] = {
	{"full", NULL, NULL, "text: every function and path, every name whole", sprof_value_flag,
		FIELD(full)},
	{"waits", NULL, NULL, "text: only what the threads waited for, and who held them up",
		sprof_value_flag, FIELD(waits)},
	{"sort", NULL, "KEY", "text: flat profile by self or total (self)", set_sort, FIELD(by_total)},
	{"top", NULL, "N", "text: at most N rows per table (30)", sprof_value_count, FIELD(top)},
	{"depth", NULL, "N", "text: at most N levels of the graphs (all)", sprof_value_count,
		FIELD(depth)},
	{"min", NULL, "PCT",
		"text: leave out what is below PCT percent (0.5, or what a few samples are)", set_percent,
		FIELD(min_percent)},
	{"report-mode", NULL, "MODE", "text: merged, per-thread or both (merged)", set_report_mode, 0},
	{"no-pager", NULL, NULL, "don't show the text report through $PAGER", sprof_value_flag,
		FIELD(no_pager)},
	{"threads", "t", NULL, "folded: the thread is the first frame", sprof_value_flag,
		FIELD(threads)},
	{"wait-frames", NULL, NULL, "folded: what a blocked thread waits for is a frame",
		sprof_value_flag, FIELD(wait_frames)},
	{0},
};

bool sprof_shown_asks_for_text(const struct sprof_shown *shown)
{
	return shown->full || shown->waits || shown->by_total || shown->top || shown->depth ||
		shown->min_percent >= 0 || shown->mode_said || shown->no_pager;
}

struct sprof_output_options sprof_shown_output_options(
	const struct sprof_shown *shown, enum sprof_weight weight)
{
	struct sprof_output_options output = sprof_output_options_default();

	output.weight = weight;
	output.threads = shown->threads;
	output.waits_only = shown->waits;
	output.wait_frames = shown->wait_frames;
	output.report_mode = shown->report_mode;
	output.sort_by_total = shown->by_total;
	output.full = shown->full;
	output.top = shown->top ? shown->top : TOP;
	output.width = 0; /* that of the terminal, if it goes to one */
	output.depth = shown->depth;
	output.min_percent = shown->min_percent;
	output.short_names = shown->short_names;
	return output;
}

bool sprof_shown_filter(
	const struct sprof_shown *shown, struct sprof_profile **profile, struct sprof_error *err)
{
	struct sprof_profile *part = NULL;
	struct sprof_filter filter = shown->filter;

	if (filter.from_ns && !filter.to_ns)
		filter.to_ns = UINT64_MAX;
	if (sprof_filter_is_empty(&filter))
		return true;
	if (!sprof_profile_filter(*profile, &filter, &part, err))
		return false;
	sprof_profile_destroy(*profile);
	*profile = part;
	return true;
}
