/* sprof diff: what changed between saved profiles. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/commands.h"
#include "cmd/saved/gate.h"
#include "cmd/saved/reading.h"
#include "profile/compare/diff.h"

#define FIELD(name) offsetof(struct sprof_reading, name)

static const struct sprof_option compare_table[] = {
	{"shares", NULL, NULL, "text: show a table of each function's shares, self and total",
		sprof_value_flag, FIELD(shown.output.shares)},
	{"absolute", NULL, NULL,
		"other formats and --shares: compare absolute weights, not scaled\n"
		"to the same total",
		sprof_value_flag, FIELD(shown.output.absolute)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"Filters", sprof_report_options_filter_table, FIELD(shown)},
	{"Time and process", sprof_reading_filter_table},
	{"A gate for several runs", sprof_gate_option_table, FIELD(gate)},
	{"Layout", compare_table},
	{"Layout", sprof_report_options_brief_table, FIELD(shown)},
	{"Names", sprof_naming_late_table, FIELD(naming)},
	{"Output", sprof_report_options_output_table, FIELD(shown)},
	{"Output", sprof_report_options_json_table, FIELD(shown)},
	{"Output", sprof_report_options_weight_table, FIELD(shown)},
	{"General", sprof_common_option_table},
	{0},
};

static bool settle(struct sprof_outputs *outputs, struct sprof_error *err)
{
	outputs->is_saved = true;
	if (!sprof_outputs_settle(outputs, SPROF_STDOUT_REPORT, err))
		return false;
	for (size_t i = 0; i < outputs->count; i++) {
		if (!outputs->items[i].format->compares)
			return sprof_error_set(err, SPROF_ERROR_USAGE,
				"the format %s can't show a difference",
				outputs->items[i].format->name);
	}
	return true;
}

static bool load(const struct sprof_reading *options, const char *path, struct sprof_profile **ret,
	struct sprof_error *err)
{
	return sprof_reading_load(options, path, ret, err) &&
		sprof_report_options_filter(&options->shown, ret, err) &&
		sprof_own_code_mark(*ret, &options->shown.own, err);
}

static bool write_all(const struct sprof_reading *options, struct sprof_profile *joined,
	uint32_t base_threads, int *ret_exit, struct sprof_error *err)
{
	struct sprof_report_options shown = options->shown;

	shown.output.base_threads = base_threads;
	return sprof_report_options_write_all(&shown, joined, ret_exit, err);
}

/* The runs of both sides, in their order. */
struct runs {
	struct sprof_profile **items;
	size_t counts[SPROF_SIDES];
};

static bool usage(struct sprof_error *err)
{
	sprof_error_set(err, SPROF_ERROR_USAGE, "diff needs two profiles");
	return sprof_error_hint(err,
		"for example: sprof diff before.pb.gz after.pb.gz; several runs of each side need "
		"\"--\" between the sides");
}

/* "BEFORE AFTER", or "BEFORE... -- AFTER..."; `paths` is where the files begin. */
static bool count_runs(char *const paths[], struct runs *runs, struct sprof_error *err)
{
	size_t count = 0, before = 0;

	for (; paths[count]; count++) {
		if (strcmp(paths[count], "--") == 0)
			before = count;
	}
	runs->counts[SPROF_SIDE_BASE] = before ? before : 1;
	if (count < 2 || (!before && count != 2) || (before && before + 1 == count))
		return usage(err);
	runs->counts[SPROF_SIDE_NEW] = count - runs->counts[SPROF_SIDE_BASE] - (before > 0);
	return true;
}

static bool load_runs(const struct sprof_reading *options, char *const paths[], struct runs *runs,
	struct sprof_error *err)
{
	size_t loaded = 0;

	for (size_t i = 0; paths[i]; i++) {
		if (strcmp(paths[i], "--") == 0)
			continue;
		if (!load(options, paths[i], &runs->items[loaded], err))
			return false;
		loaded++;
	}
	return true;
}

static bool compare(const struct sprof_reading *options, char *const paths[], int *ret_exit,
	struct sprof_error *err)
{
	struct sprof_profile *joined = NULL;
	struct runs runs = {0};
	uint32_t base_threads;
	size_t count;
	bool ok;

	if (!count_runs(paths, &runs, err))
		return false;
	count = runs.counts[SPROF_SIDE_BASE] + runs.counts[SPROF_SIDE_NEW];
	runs.items = calloc(count + 1, sizeof(struct sprof_profile *));
	ok = (runs.items || sprof_error_no_memory(err)) && load_runs(options, paths, &runs, err) &&
		sprof_profile_join((const struct sprof_profile *const *)runs.items, runs.counts,
			&joined, &base_threads, err);
	for (size_t i = 0; runs.items && i < count; i++)
		sprof_profile_destroy(runs.items[i]);
	free(runs.items);
	ok = ok && write_all(options, joined, base_threads, ret_exit, err);
	sprof_profile_destroy(joined);
	return ok;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_reading options = *(const struct sprof_reading *)data;

	if (options.gate.count)
		return sprof_gate_run(&options, operands, ret_exit, err);
	if (operands[0] && strcmp(operands[0], "--") == 0)
		operands++;
	return settle(&options.shown.outputs, err) && compare(&options, operands, ret_exit, err);
}

const struct sprof_command sprof_command_diff = {
	.name = "diff",
	.summary = "Show what changed between two saved profiles",
	.synopsis = "[options] BEFORE AFTER\n"
		    "       sprof diff [options] BEFORE... -- AFTER...\n"
		    "       sprof diff [options] --fail-if CONDITION... BEFORE... -- AFTER...",
	.details =
		"The first line names the function whose own code causes most of the difference. "
		"With several\n"
		"runs, figures are medians, and a mark shows changes that may be chance. As folded "
		"stacks, each\n"
		"line has two numbers, before and after; BEFORE is scaled to the weight of AFTER, "
		"unless\n"
		"--absolute is given.\n\n"
		"  sprof diff before.pb.gz after.pb.gz --weight user\n"
		"  sprof diff before.pb.gz after.pb.gz -f folded | flamegraph.pl > diff.svg\n\n"
		"With --fail-if, BEFORE and AFTER are at least five runs each of the same work. A "
		"condition holds\n"
		"only if the growth is certain in spite of the variation between runs. To find a "
		"slowdown of 5 %,\n"
		"set a limit below 5 %.\n\n"
		"  sprof diff --fail-if 'wall(parse) > +2%' before-*.pb.gz -- after-*.pb.gz\n",
	.groups = groups,
	.hidden = SPROF_REPORT_OPTIONS_OLD
	"charge-callers threads no-pager sysmap debuginfod debuginfod-limit trust-paths "
	"verbose",
	.defaults = &sprof_reading_defaults,
	.options_size = sizeof(struct sprof_reading),
	.options_anywhere = true,
	.two_lists = true,
	.run = run,
};
