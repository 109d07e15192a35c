/* sprof report: reports and other formats of profiles saved by sprof or another tool. */
#include <string.h>
#include <unistd.h>

#include "base/strings.h"
#include "cmd/cli/commands.h"
#include "cmd/cli/last-recording.h"
#include "cmd/saved/naming.h"
#include "cmd/saved/reading.h"
#include "profile/edit/estimate.h"
#include "profile/model/match.h"
#include "profile/names/identify.h"
#include "profile/views/group-frames.h"
#include "profile/views/neighbours.h"

#define FIELD(name) offsetof(struct sprof_reading, name)

static bool set_parent(void *field, const char *text, struct sprof_error *err)
{
	*(const char **)field = text;
	return sprof_match_check(text, err);
}

/* The offset leads to the whole struct. */
static bool set_by(void *field, const char *text, struct sprof_error *err)
{
	static const char parent[] = "parent=";
	struct sprof_reading *options = field;

	options->by = options->parent = NULL;
	if (sprof_string_starts_with(text, parent))
		return set_parent(&options->parent, text + strlen(parent), err);
	return sprof_value_text(&options->by, text, err);
}

static const struct sprof_option report_table[] = {
	{"by", NULL, "LABEL",
		"text, json: group by a label (rank, host, pid, comm, ...), or show\n"
		"one table of dso, file, srcline or address; folded: make it the\n"
		"first frame; parent=REGEX: group by the innermost such function",
		set_by, 0, .conflicts = "parent"},
	{"parent", NULL, "REGEX", "group by the innermost matching function of each stack",
		set_parent, FIELD(parent)},
	{"no-children", NULL, NULL,
		"text: show self and its parts in the flat profile, without totals",
		sprof_value_flag, FIELD(no_children)},
	{0},
};

/* Takes one of the words with commas between them, such as perf's "graph,0.5,caller". */
static bool take_graph(const char *word, size_t length, enum sprof_graphs_shown *graphs)
{
	static const struct {
		const char *word;
		enum sprof_graphs_shown graphs;
	} ways[] = {
		{"caller", SPROF_GRAPHS_CALLERS},
		{"callee", SPROF_GRAPHS_CALLEES},
		{"none", SPROF_GRAPHS_BOTH},
		{"flat", SPROF_GRAPHS_BOTH},
		{"fractal", SPROF_GRAPHS_BOTH},
		{"graph", SPROF_GRAPHS_BOTH},
		{"folded", SPROF_GRAPHS_BOTH},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strlen(ways[i].word) != length || memcmp(word, ways[i].word, length) != 0)
			continue;
		*graphs = ways[i].graphs != SPROF_GRAPHS_BOTH ? ways[i].graphs : *graphs;
		return true;
	}
	return false;
}

/* A word that is no way to show a graph is the file. The offset leads to the whole struct. */
static bool set_call_graph(void *field, const char *text, struct sprof_error *err)
{
	struct sprof_reading *options = field;
	const char *at = text;

	if (!text)
		return true;
	if (!take_graph(at, strcspn(at, ","), &options->shown.output.graphs))
		return sprof_value_text(&options->input, text, err);
	while (at[strcspn(at, ",")]) {
		at += strcspn(at, ",") + 1;
		(void)take_graph(at, strcspn(at, ","), &options->shown.output.graphs);
	}
	return true;
}

/* perf's "inverted": top down. */
static bool set_inverted(void *field, const char *text, struct sprof_error *err)
{
	return set_call_graph(field, "caller", err);
}

static const struct sprof_option graph_table[] = {
	{"call-graph", "g", "[HOW]",
		"text: show only one of the graphs: caller (top down) or callee\n"
		"(bottom up)",
		set_call_graph, 0},
	{0},
};

/* Of perf report: totals and stacks are always shown, as text. */
static const struct sprof_option foreign_table[] = {
	{"input", "i", "FILE", NULL, sprof_value_text, FIELD(input)},
	{"stdio", NULL, NULL, NULL, sprof_value_ignored, 0},
	{"children", NULL, NULL, NULL, sprof_value_ignored, 0},
	{"inverted", "G", NULL, NULL, set_inverted, 0},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"Filters", sprof_report_options_filter_table, FIELD(shown)},
	{"Time and process", sprof_reading_filter_table},
	{"Layout", sprof_report_options_brief_table, FIELD(shown)},
	{"Layout", sprof_report_options_own_table, FIELD(shown)},
	{"Layout", sprof_report_options_waits_table, FIELD(shown)},
	{"Layout", sprof_report_options_report_table, FIELD(shown)},
	{"Layout", sprof_naming_kind_table, FIELD(shown.output.short_names)},
	{"Layout", report_table},
	{"Layout", graph_table},
	{"Layout", foreign_table},
	{"Names", sprof_naming_late_table, FIELD(naming)},
	{"Output", sprof_report_options_output_table, FIELD(shown)},
	{"Output", sprof_report_options_json_table, FIELD(shown)},
	{"Output", sprof_report_options_weight_table, FIELD(shown)},
	{"General", sprof_common_option_table},
	{0},
};

/* Some formats need link-time addresses, which are in the modules' files. */
static bool identify(
	const struct sprof_reading *options, struct sprof_profile *profile, struct sprof_error *err)
{
	const struct sprof_outputs *outputs = &options->shown.outputs;

	if (options->by && strcmp(options->by, "address") == 0)
		return sprof_profile_identify(profile, err);
	for (size_t i = 0; i < outputs->count; i++) {
		if (outputs->items[i].format->wants_files)
			return sprof_profile_identify(profile, err);
	}
	return true;
}

/* perf's label for a thread's name; a label of that name from another tool takes precedence. */
static bool group_threads(const struct sprof_profile *profile, enum sprof_weight weight,
	struct sprof_groups *ret, struct sprof_error *err)
{
	struct sprof_error ignored = {0};

	return sprof_groups_build(profile, "comm", weight, ret, &ignored) ||
		sprof_groups_build(profile, "thread", weight, ret, err);
}

/* Groups the samples as --by asks, if one of them was given. */
static bool group(const struct sprof_reading *options, const struct sprof_profile *profile,
	enum sprof_weight weight, struct sprof_groups *ret, struct sprof_error *err)
{
	if (options->parent)
		return sprof_groups_build_parents(profile, options->parent, weight, ret, err);
	if (!options->by)
		return true;
	if (sprof_frames_have(options->by))
		return sprof_groups_build_frames(profile, options->by, weight, ret, err);
	if (strcmp(options->by, "comm") == 0)
		return group_threads(profile, weight, ret, err);
	return sprof_groups_build(profile, options->by, weight, ret, err);
}

/* A pattern of --callers or --callees that nothing matches is most likely a slip. */
static bool is_seen(const struct sprof_profile *profile, enum sprof_weight weight,
	const char *option, const char *pattern, struct sprof_error *err)
{
	const struct sprof_view view = {.weight = weight, .thread = SPROF_PROFILE_NONE};
	struct sprof_neighbours found;
	size_t count;

	if (!pattern)
		return true;
	if (!sprof_neighbours_build(profile, &view, pattern, &found, err))
		return false;
	count = found.count;
	sprof_neighbours_finish(&found);
	return count ||
		sprof_error_set(err, SPROF_ERROR_NOT_FOUND,
			"%s %s: no function of that name has any weight", option, pattern);
}

static bool write_all(const struct sprof_reading *options, struct sprof_profile *profile,
	int *ret_exit, struct sprof_error *err)
{
	static const char own[] = "self%,self,self-user,self-sys,self-runq,self-wait,samples";
	struct sprof_output_options output;
	struct sprof_written written;
	struct sprof_groups grouped = {0};

	if (!sprof_report_options_output_options(&options->shown, profile, &output, err) ||
		!identify(options, profile, err) ||
		!is_seen(profile, output.weight, "--callers", output.callers, err) ||
		!is_seen(profile, output.weight, "--callees", output.callees, err) ||
		!group(options, profile, output.weight, &grouped, err))
		return false;
	if (options->no_children && !output.columns.count &&
		!sprof_column_list_parse(&output.columns, own, err))
		return false;
	output.groups = options->by || options->parent ? &grouped : NULL;
	written = sprof_report_options_write(&options->shown, profile, &output, true);
	sprof_groups_finish(&grouped);
	*ret_exit = sprof_outputs_exit(&written);
	return true;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_reading options = *(const struct sprof_reading *)data;
	struct sprof_profile *profile;
	bool ok, is_last = false;
	char *const input[] = {(char *)options.input, NULL};
	char *const last[] = {
		operands[0] || input[0] ? NULL : (char *)sprof_last_recording_path(), NULL};

	if (input[0] && operands[0])
		return sprof_error_set(
			err, SPROF_ERROR_USAGE, "-i %s: another file is given, too", input[0]);
	if (input[0])
		operands = input;
	if (last[0] && !access(last[0], R_OK)) {
		operands = last;
		is_last = true;
	}
	if (!operands[0]) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "report needs a profile");
		return sprof_error_hint(err,
			"for example: sprof report profile.pb.gz; without a file it shows the last "
			"recording, and there is none");
	}
	options.shown.outputs.is_saved = true;
	if (!sprof_outputs_settle(&options.shown.outputs, SPROF_STDOUT_REPORT, err) ||
		!sprof_reading_load_all(&options, operands, &profile, err))
		return false;
	if (is_last)
		sprof_last_recording_say(profile);
	ok = sprof_report_options_filter(&options.shown, &profile, err) &&
		(!options.shown.output.threads || sprof_estimate_take_back(profile) ||
			sprof_error_no_memory(err)) &&
		sprof_own_code_mark(profile, &options.shown.own, err) &&
		write_all(&options, profile, ret_exit, err);
	sprof_profile_destroy(profile);
	return ok;
}

const struct sprof_command sprof_command_report = {
	.name = "report",
	.summary = "Show the last recording or a saved profile, or convert it",
	.synopsis = "[options] [FILE...]",
	.details =
		"A FILE is a saved profile (-o NAME.pb.gz), any other pprof file, folded stacks, or the "
		"text of\n"
		"perf script; - is stdin. Several files are merged. Without a file it reads the "
		"last recording\n"
		"of run, attach or heap: ~/.cache/sprof/last.pb.gz.\n\n"
		"  sprof report profile.pb.gz --focus parse --weight user\n"
		"  sprof report profile.pb.gz -o profile.html -o profile.speedscope.json\n",
	.groups = groups,
	.hidden = SPROF_REPORT_OPTIONS_OLD
	"debuginfod-limit parent report-mode nodes colour unfold no-pager no-children verbose",
	.defaults = &sprof_reading_defaults,
	.options_size = sizeof(struct sprof_reading),
	.options_anywhere = true,
	.run = run,
};
