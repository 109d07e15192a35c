/*
 * sprof diff: what changed from one saved profile to another.
 */
#include <string.h>

#include "cmd/commands.h"
#include "cmd/gate.h"
#include "cmd/reading.h"
#include "profile/diff.h"

#define FIELD(name) offsetof(struct sprof_reading, name)

static const struct sprof_option compare_table[] = {
	{"absolute", NULL, NULL, "compare the weights themselves, not the shares of the whole",
		sprof_value_flag, FIELD(absolute)},
	{0},
};

static const struct sprof_option_group groups[] = {
	{"What to compare", sprof_shown_filter_table, FIELD(shown)},
	{"Of which time and process", sprof_reading_filter_table},
	{"A gate for several runs", sprof_gate_option_table, FIELD(gate)},
	{"How", compare_table},
	{"How", sprof_shown_brief_table, FIELD(shown)},
	{"Names", sprof_naming_late_table, FIELD(naming)},
	{"Output", sprof_shown_output_table, FIELD(shown)},
	{"General", sprof_common_option_table},
	{0},
};

static bool settle(struct sprof_outputs *outputs, struct sprof_error *err)
{
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
		sprof_shown_filter(&options->shown, ret, err);
}

static bool write_all(const struct sprof_reading *options, const struct sprof_profile *joined,
	uint32_t base_threads, int *ret_exit, struct sprof_error *err)
{
	struct sprof_output_options output;
	struct sprof_written written;

	if (!sprof_shown_output_options(&options->shown, joined, &output, err))
		return false;
	output.base_threads = base_threads;
	output.absolute = options->absolute;
	written = sprof_shown_write(&options->shown, joined, &output, true);
	*ret_exit = sprof_outputs_exit(&written);
	return true;
}

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	struct sprof_reading options = *(const struct sprof_reading *)data;
	struct sprof_profile *base = NULL, *new = NULL, *joined = NULL;
	uint32_t base_threads;
	bool ok;

	if (options.gate.count)
		return sprof_gate_run(&options, operands, ret_exit, err);
	if (operands[0] && strcmp(operands[0], "--") == 0)
		operands++;
	if (!operands[0] || !operands[1] || operands[2]) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "diff needs two profiles");
		sprof_error_hint(err, "for example: sprof diff before.pb.gz after.pb.gz");
		return false;
	}
	ok = settle(&options.shown.outputs, err) && load(&options, operands[0], &base, err) &&
		load(&options, operands[1], &new, err) &&
		sprof_profile_join(base, new, &joined, &base_threads, err);
	sprof_profile_destroy(base);
	sprof_profile_destroy(new);
	ok = ok && write_all(&options, joined, base_threads, ret_exit, err);
	sprof_profile_destroy(joined);
	return ok;
}

const struct sprof_command sprof_command_diff = {
	.name = "diff",
	.summary = "Show what changed from one saved profile to another",
	.synopsis = "[options] BEFORE AFTER\n"
		    "       sprof diff [options] --fail-if CONDITION... BEFORE... -- AFTER...",
	.details =
		"Without --absolute, BEFORE is scaled to the weight of AFTER, so that runs of different "
		"length\ncompare. As folded stacks, each line has two numbers: before and after.\n\n"
		"  sprof diff before.pb.gz after.pb.gz --weight user\n"
		"  sprof diff before.pb.gz after.pb.gz -f folded | flamegraph.pl > diff.svg\n\n"
		"With --fail-if, BEFORE and AFTER are at least five runs each of the same work. A "
		"figure has\ngrown by more than its limit only if that is certain against how much "
		"the runs vary. A\nslowdown of 5 % is found by a limit below 5 %.\n\n"
		"  sprof diff --fail-if 'wall(parse) > +2%' before-*.pb.gz -- after-*.pb.gz\n",
	.groups = groups,
	.defaults = &sprof_reading_defaults,
	.options_size = sizeof(struct sprof_reading),
	.options_anywhere = true,
	.two_lists = true,
	.run = run,
};
