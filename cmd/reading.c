/*
 * From the command line to a profile that was saved. Knows the options that report, diff and merge
 * share; what is in a file is profile/'s matter.
 */
#include "cmd/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/values.h"
#include "profile/build.h"
#include "profile/identify.h"
#include "profile/merge.h"
#include "profile/pprof.h"

#define FIELD(name) offsetof(struct sprof_reading, name)

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

const struct sprof_reading sprof_reading_defaults = {
	.report_mode = SPROF_REPORT_MERGED,
	.top = 30,
	.min_percent = 0.5,
};

const struct sprof_option sprof_reading_output_table[] = {
	{"output", "o", "FILE", "write to FILE, - is stdout; may be given several times",
		sprof_outputs_set_path, FIELD(outputs)},
	{"format", "f", "FORMAT",
		"format of the -o before it, or of all: see sprof --list-formats\n"
		"(by FILE's suffix; else text)",
		sprof_outputs_set_format, FIELD(outputs)},
	{"weight", NULL, "KIND",
		"wall, samples, user, sys, runq, stolen, wait, or of the last sleep,\n"
		"disk or stopped (wall); of another tool's file, what it counts",
		sprof_value_text, FIELD(weight)},
	{0},
};

const struct sprof_option sprof_reading_filter_table[] = {
	{"focus", NULL, "REGEX", "only stacks with a function that matches", sprof_value_text,
		FIELD(filter.focus)},
	{"ignore", NULL, "REGEX", "no stacks with a function that matches", sprof_value_text,
		FIELD(filter.ignore)},
	{"hide", NULL, "REGEX", "take functions that match out of the stacks", sprof_value_text,
		FIELD(filter.hide)},
	{"thread", NULL, "REGEX", "only threads whose name matches, or with this id",
		sprof_value_text, FIELD(filter.thread)},
	{"pid", "p", "PID", "only threads of this process", sprof_value_pid, FIELD(filter.pid)},
	{"state", NULL, "STATES", "only samples in these states: user,sys,sleep,disk,stopped,wait",
		set_states, FIELD(filter.states)},
	{"label", NULL, "NAME=REGEX", "only samples with a label of this name that matches",
		sprof_value_text, FIELD(filter.label)},
	{"from", NULL, "TIME", "from this time on since the start; see --time-slices of run",
		sprof_value_duration, FIELD(filter.from_ns)},
	{"to", NULL, "TIME", "up to this time since the start", sprof_value_duration,
		FIELD(filter.to_ns)},
	{0},
};

const struct sprof_option sprof_reading_report_table[] = {
	{"sort", NULL, "KEY", "flat profile by self or total (self)", set_sort, FIELD(by_total)},
	{"top", NULL, "N", "text: at most N rows per table (30)", sprof_value_count, FIELD(top)},
	{"depth", NULL, "N", "text: at most N levels of the graphs (all)", sprof_value_count,
		FIELD(depth)},
	{"min", NULL, "PCT", "text: leave out what is below PCT percent (0.5)", set_percent,
		FIELD(min_percent)},
	{"full", NULL, NULL, "text: every function and path, every name whole", sprof_value_flag,
		FIELD(full)},
	{"report-mode", NULL, "MODE", "text: merged, per-thread or both (merged)",
		sprof_value_report_mode, FIELD(report_mode)},
	{"by", NULL, "LABEL",
		"text, json: also each rank, host, pid, tenant, ... for itself, as\n"
		"the samples are labelled; folded: it is the first frame",
		sprof_value_text, FIELD(by)},
	{"threads", "t", NULL, "folded: the thread is the first frame", sprof_value_flag,
		FIELD(threads)},
	{"wait-frames", NULL, NULL, "folded: what a blocked thread waits for is a frame",
		sprof_value_flag, FIELD(wait_frames)},
	{"waits", NULL, NULL, "text: only what the threads waited for, and who held them up",
		sprof_value_flag, FIELD(waits)},
	{"short-names", NULL, NULL, "text: leave out parameters and template arguments",
		sprof_value_flag, FIELD(short_names)},
	{"no-pager", NULL, NULL, "don't show the text report through $PAGER", sprof_value_flag,
		FIELD(no_pager)},
	{0},
};

bool sprof_reading_load(const char *path, const char *weight, struct sprof_profile **ret,
	struct sprof_error *err)
{
	const struct sprof_pprof_options options = {.kind = weight};
	bool is_stdin = strcmp(path, "-") == 0;
	SPROF_AUTO_CLOSE int fd = is_stdin ? fcntl(0, F_DUPFD_CLOEXEC, 0)
					   : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return sprof_error_errno(err, errno, "can't read %s", path);
	return sprof_pprof_read(fd, is_stdin ? "stdin" : path, &options, ret, err);
}

static bool merge_file(struct sprof_profile *sum, const char *path, const char *weight,
	struct sprof_error *err)
{
	struct sprof_error reason = {0};
	struct sprof_profile *profile;
	bool ok;

	if (!sprof_reading_load(path, weight, &profile, err))
		return false;
	ok = sprof_profile_merge(sum, profile, &reason);
	sprof_profile_destroy(profile);
	return ok || sprof_error_set(err, reason.kind, "%s: %s", path, reason.message);
}

bool sprof_reading_load_all(char *const paths[], const char *weight, struct sprof_profile **ret,
	struct sprof_error *err)
{
	struct sprof_profile *sum;

	if (!paths[1])
		return sprof_reading_load(paths[0], weight, ret, err);
	sum = sprof_build_create();
	if (!sum)
		return sprof_error_no_memory(err);
	for (size_t i = 0; paths[i]; i++) {
		if (!merge_file(sum, paths[i], weight, err)) {
			sprof_profile_destroy(sum);
			return false;
		}
	}
	*ret = sum;
	return true;
}

bool sprof_reading_filter(const struct sprof_reading *options, struct sprof_profile **profile,
	struct sprof_error *err)
{
	struct sprof_profile *part = NULL;
	struct sprof_filter filter = options->filter;
	bool ok;

	if (filter.from_ns && !filter.to_ns)
		filter.to_ns = UINT64_MAX;
	if (sprof_filter_is_empty(&filter))
		return true;
	ok = sprof_profile_filter(*profile, &filter, &part, err);
	sprof_profile_destroy(*profile);
	*profile = part;
	return ok;
}

bool sprof_reading_weight(const struct sprof_profile *profile, const char *name,
	enum sprof_weight *ret, struct sprof_error *err)
{
	if (profile->foreign.kind_count) {
		*ret = SPROF_WEIGHT_OTHER;
		return true;
	}
	*ret = SPROF_WEIGHT_WALL;
	return !name || sprof_weight_find(name, ret) ||
		sprof_error_set(err, SPROF_ERROR_USAGE,
			"--weight %s: not one of wall, samples, user, sys, runq, wait, sleep, disk, "
			"stopped, stolen",
			name);
}

struct sprof_output_options sprof_reading_output_options(
	const struct sprof_reading *options, enum sprof_weight weight)
{
	struct sprof_output_options output = sprof_output_options_default();

	output.weight = weight;
	output.threads = options->threads;
	output.waits_only = options->waits;
	output.wait_frames = options->wait_frames;
	output.report_mode = options->report_mode;
	output.sort_by_total = options->by_total;
	output.full = options->full;
	output.top = options->top;
	output.width = 0; /* that of the terminal, if it goes to one */
	output.depth = options->depth;
	output.min_percent = options->min_percent;
	output.short_names = options->short_names;
	return output;
}
