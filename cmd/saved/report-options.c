/*
 * Filters, outputs and the options of the text report. profile/edit/filter.c and output/ define
 * their meaning.
 */
#include "cmd/saved/report-options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cmd/cli/option-values.h"
#include "cmd/cli/pager.h"
#include "profile/model/match.h"

enum { WEIGHTS_SIZE = 256 };

#define FIELD(name) offsetof(struct sprof_report_options, name)

static bool set_percent(void *field, const char *text, struct sprof_error *err)
{
	char *end;
	double value = strtod(text, &end);

	if (end == text || *end || !(value >= 0 && value <= 100))
		return sprof_error_set(err, SPROF_ERROR_USAGE, "not a percentage from 0 to 100");
	*(double *)field = value;
	return true;
}

static bool set_columns(void *field, const char *text, struct sprof_error *err)
{
	return sprof_column_list_parse(field, text, err);
}

static bool set_colour(void *field, const char *text, struct sprof_error *err)
{
	return sprof_value_either("total", "self", text, field, err);
}

/* The row's offset leads to the whole struct, because the option sets two fields. */
static bool set_percentage(void *field, const char *text, struct sprof_error *err)
{
	static const char *const names[] = {"relative", "absolute", NULL};
	struct sprof_report_options *shown = field;
	unsigned choice;

	if (!sprof_value_choice(names, text, &choice, err))
		return false;
	shown->output.of_whole = choice;
	shown->percentage_said = true;
	return true;
}

static bool set_report_mode(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_report_options *shown = field;

	shown->mode_said = true;
	return sprof_value_report_mode(&shown->output.report_mode, text, err);
}

static bool set_per_thread(void *field, const char *text, struct sprof_error *err)
{
	return set_report_mode(field, "per-thread", err);
}

/*
 * The bit of the state of this name, or the bits of all states of a class of time; 0: no such name.
 */
static unsigned states_of(const char *name)
{
	if (strcmp(name, "wait") == 0)
		return 1u << SPROF_STATE_SLEEP | 1u << SPROF_STATE_DISK | 1u << SPROF_STATE_STOPPED;
	for (int i = 0; i < SPROF_STATE_COUNT; i++) {
		if (strcmp(name, sprof_state_name((enum sprof_state)i)) == 0)
			return 1u << i;
	}
	return 0;
}

static bool set_states(void *field, const char *text, struct sprof_error *err)
{
	SPROF_AUTO_FREE char *copy = strdup(text);
	char *rest = copy, *name;

	if (!copy)
		return sprof_error_no_memory(err);
	while ((name = strsep(&rest, ","))) {
		const unsigned states = states_of(name);

		if (!states) {
			sprof_error_set(err, SPROF_ERROR_USAGE, "no such state");
			return sprof_error_hint(err,
				"the states are user, sys, sleep, disk, stopped, and "
				"wait for the last three");
		}
		*(unsigned *)field |= states;
	}
	return true;
}

static bool set_pattern(void *field, const char *text, struct sprof_error *err)
{
	if (!text[0])
		return sprof_error_set(err, SPROF_ERROR_USAGE, "is empty");
	if (!sprof_match_check(text, err))
		return false;
	*(const char **)field = text;
	return true;
}

/* "@libc" is a pattern of the function's shared object. */
static bool set_place(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_filter_place *place = field;

	return text[0] == '@' ? set_pattern(&place->object, text + 1, err)
			      : set_pattern(&place->function, text, err);
}

const struct sprof_option sprof_report_options_filter_table[] = {
	{"focus", NULL, "REGEX",
		"only stacks with a matching function; @REGEX: with a function of a\n"
		"matching shared object",
		set_place, FIELD(filter.focus)},
	{"ignore", NULL, "REGEX", "only stacks without such a function", set_place,
		FIELD(filter.ignore)},
	{"hide", NULL, "REGEX", "remove such functions from the stacks", set_place,
		FIELD(filter.hide)},
	{"charge-callers", NULL, NULL,
		"count time in shared libraries for their callers in the program", sprof_value_flag,
		FIELD(filter.charge_callers)},
	{"focus-dso", NULL, "REGEX",
		"only stacks with a function of a matching shared object (path)", set_pattern,
		FIELD(filter.focus.object)},
	{"ignore-dso", NULL, "REGEX", "only stacks without a function of a matching shared object",
		set_pattern, FIELD(filter.ignore.object)},
	{"hide-dso", NULL, "REGEX", "remove functions of matching shared objects from the stacks",
		set_pattern, FIELD(filter.hide.object)},
	{"thread", NULL, "REGEX", "only threads with a matching name, or with this id", set_pattern,
		FIELD(filter.thread)},
	{"state", NULL, "STATES", "only samples in these states: user,sys,sleep,disk,stopped,wait",
		set_states, FIELD(filter.states)},
	{"label", NULL, "NAME=REGEX", "only samples whose label NAME matches", set_pattern,
		FIELD(filter.label)},
	{0},
};

const struct sprof_option sprof_report_options_brief_table[] = {
	{"full", NULL, NULL, "text: show every function and path, with whole names",
		sprof_value_flag, FIELD(output.full)},
	{"top", NULL, "N",
		"text: at most N rows per table (30), and lines per graph (all);\n"
		"dot, png: the N heaviest functions (80)",
		sprof_value_count, FIELD(output.top)},
	{"no-pager", NULL, NULL, "don't show the text report through $PAGER", sprof_value_flag,
		FIELD(no_pager)},
	{"threads", "t", NULL, "folded: make the thread the first frame", sprof_value_flag,
		FIELD(output.threads)},
	{0},
};

const struct sprof_option sprof_report_options_own_table[] = {
	{"own", NULL, "REGEX",
		"which functions are the program's own code: those whose name,\n"
		"source file or object matches; in the summary, their time includes\n"
		"what they call (decided by folders and languages)",
		set_pattern, FIELD(own.own), .conflicts = "all-code"},
	{"all-code", NULL, NULL, "in the summary, name the innermost functions, also of libraries",
		sprof_value_flag, FIELD(own.all)},
	{0},
};

const struct sprof_option sprof_report_options_waits_table[] = {
	{"waits", NULL, NULL, "text: show only waits, and the holders of locks", sprof_value_flag,
		FIELD(output.waits_only)},
	{0},
};

const struct sprof_option sprof_report_options_report_table[] = {
	{"callers", NULL, "REGEX", "text, json: show only the callers of matching functions",
		set_pattern, FIELD(output.callers)},
	{"callees", NULL, "REGEX",
		"text, json: show only the functions that matching functions call", set_pattern,
		FIELD(output.callees)},
	{"sort", NULL, "COLUMNS",
		"text, json: sort the flat profile by columns, such as\n"
		"dso,total,samples (self)",
		set_columns, FIELD(output.sort)},
	{"columns", NULL, "LIST",
		"text: columns of the flat profile, such as\n"
		"self%,self,self-user,dso; a wrong name lists all",
		set_columns, FIELD(output.columns)},
	{"percentage", NULL, "OF",
		"text: percentages of the filtered time, or of all time: relative or\n"
		"absolute (relative)",
		set_percentage, 0},
	{"depth", NULL, "N", "text: at most N levels in the graphs (all)", sprof_value_count,
		FIELD(output.depth)},
	{"unfold", NULL, NULL,
		"text, json: show each call of a recursion as a line of the graphs\n"
		"(one line for all calls, with their number)",
		sprof_value_flag, FIELD(output.unfold)},
	{"min", NULL, "PCT",
		"text: leave out functions and paths below PCT percent (0.5, or\n"
		"three samples)",
		set_percent, FIELD(output.min_percent)},
	{"per-thread", NULL, NULL, "text: show a report of each thread", set_per_thread, 0},
	{"report-mode", NULL, "MODE", "text: merged, per-thread or both (merged)", set_report_mode,
		0},
	{"nodes", NULL, "N", "dot, png: show the N heaviest functions (80)", sprof_value_count,
		FIELD(output.nodes)},
	{"colour", NULL, "KEY", "dot, png: colour by self or total (total)", set_colour,
		FIELD(output.colour_by_self)},
	{"wait-frames", NULL, NULL,
		"folded: append the object of a wait, and the holder of a lock, as\n"
		"frames",
		sprof_value_flag, FIELD(output.wait_frames)},
	{0},
};

const struct sprof_option sprof_report_options_output_table[] = {
	{"output", "o", "FILE", "write to FILE, - is stdout; may be given several times",
		sprof_outputs_set_path, FIELD(outputs)},
	{"format", "f", "FORMAT",
		"format of the -o before it; before the first -o, of all outputs;\n"
		"sprof --list-formats lists them. Default: by FILE's suffix. On\n"
		"stdout: text; from run, attach and heap on a terminal a summary,\n"
		"from run and attach into a pipe folded stacks",
		sprof_outputs_set_format, FIELD(outputs)},
	{0},
};

const struct sprof_option sprof_report_options_json_table[] = {
	{"json", NULL, NULL, NULL, sprof_outputs_set_json, FIELD(outputs), .conflicts = "format",
		.unless = "output"},
	{0},
};

const struct sprof_option sprof_report_options_weight_table[] = {
	{"weight", NULL, "KIND",
		"wall, user, sys, runq, wait, sleep, disk, stopped, stolen or\n"
		"samples (wall); files of events or of other tools: any of their\n"
		"kinds of values",
		sprof_value_text, FIELD(weight)},
	{0},
};

bool sprof_report_options_asks_for_text(const struct sprof_report_options *shown)
{
	const struct sprof_output_options *output = &shown->output;

	return output->full || output->waits_only || output->sort.count || output->columns.count ||
		output->top || output->depth || output->unfold || output->min_percent >= 0 ||
		output->callers || output->callees || shown->mode_said || shown->percentage_said ||
		shown->no_pager;
}

/* `profile` NULL: one of samples, which is to begin. */
static bool no_weight(
	const struct sprof_profile *profile, const char *name, struct sprof_error *err)
{
	const struct sprof_weights weights = profile
		? sprof_profile_weights(profile)
		: (struct sprof_weights){.end = SPROF_WEIGHT_COUNT};
	char list[WEIGHTS_SIZE] = "";
	size_t used = 0;

	for (enum sprof_weight weight = weights.first; weight < weights.end && used < sizeof(list);
		weight++)
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
			weight > weights.first ? ", " : "",
			profile ? sprof_profile_weight_name(profile, weight)
				: sprof_weight_name(weight));
	return sprof_error_set(err, SPROF_ERROR_USAGE, "--weight %s: not one of %s", name, list);
}

bool sprof_report_options_find_weight(
	const char *name, enum sprof_weight *ret, struct sprof_error *err)
{
	*ret = SPROF_WEIGHT_WALL;
	return !name || sprof_weight_find(name, ret) || no_weight(NULL, name, err);
}

/* Another tool's profile was already read with this kind as its weight. */
static bool find_weight(const struct sprof_report_options *shown,
	const struct sprof_profile *profile, enum sprof_weight *ret, struct sprof_error *err)
{
	*ret = profile->kinds.shown;
	return !shown->weight || sprof_profile_find_weight(profile, shown->weight, ret) ||
		no_weight(profile, shown->weight, err);
}

bool sprof_report_options_output_options(const struct sprof_report_options *shown,
	const struct sprof_profile *profile, struct sprof_output_options *ret,
	struct sprof_error *err)
{
	const struct sprof_output_options defaults = sprof_output_options_default();
	const size_t top = shown->output.top;

	*ret = shown->output;
	ret->top = top ? top : defaults.top;
	ret->top_bounds_graphs = top;
	if (!ret->nodes)
		ret->nodes = top ? top : defaults.nodes;
	return find_weight(shown, profile, &ret->weight, err);
}

bool sprof_report_options_filter(const struct sprof_report_options *shown,
	struct sprof_profile **profile, struct sprof_error *err)
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

/* Once more what goes to stdout, as the pager has shown nothing of it. */
static void write_unpaged(const struct sprof_outputs *outputs, const struct sprof_profile *profile,
	const struct sprof_output_options *options, struct sprof_written *written)
{
	struct sprof_outputs plain = *outputs;
	struct sprof_written again;

	plain.count = 0;
	plain.is_paged = false;
	for (size_t i = 0; i < outputs->count; i++) {
		if (!outputs->items[i].path)
			plain.items[plain.count++] = outputs->items[i];
	}
	again = sprof_outputs_write(&plain, true, profile, options);
	written->succeeded -= again.failed;
	written->failed += again.failed;
}

struct sprof_written sprof_report_options_write(const struct sprof_report_options *shown,
	const struct sprof_profile *profile, const struct sprof_output_options *options,
	bool with_stdout)
{
	struct sprof_output_options settled = *options;
	struct sprof_outputs outputs = shown->outputs;
	struct sprof_written written;
	struct sprof_pager pager = {0};

	if (with_stdout && !shown->no_pager && sprof_outputs_report_to_stdout(&outputs))
		sprof_pager_start(&pager);
	settled.width = pager.width;
	outputs.is_paged = pager.pipe;
	written = sprof_outputs_write(&outputs, with_stdout, profile, &settled);
	if (!sprof_pager_finish(&pager))
		write_unpaged(&outputs, profile, options, &written);
	return written;
}

bool sprof_report_options_settle_answer(
	struct sprof_report_options *shown, bool is_quiet, struct sprof_error *err)
{
	const enum sprof_stdout wanted = sprof_report_options_asks_for_text(shown)
		? SPROF_STDOUT_REPORT
		: SPROF_STDOUT_ANSWER;

	if (!sprof_outputs_settle(&shown->outputs, wanted, err))
		return false;
	sprof_outputs_keep(&shown->outputs, is_quiet);
	return true;
}

bool sprof_report_options_settle_weight(const struct sprof_report_options *shown,
	struct sprof_profile *profile, struct sprof_error *err)
{
	struct sprof_output_options options;

	if (!sprof_report_options_output_options(shown, profile, &options, err))
		return false;
	profile->kinds.shown = options.weight;
	return true;
}

bool sprof_report_options_write_all(const struct sprof_report_options *shown,
	const struct sprof_profile *profile, int *ret_exit, struct sprof_error *err)
{
	struct sprof_output_options options;
	struct sprof_written written;
	int failed;

	if (!sprof_report_options_output_options(shown, profile, &options, err))
		return false;
	written = sprof_report_options_write(shown, profile, &options, true);
	failed = sprof_outputs_exit(&written);
	*ret_exit = failed ? failed : *ret_exit;
	return true;
}
