/*
 * sprof merge: several saved profiles into one.
 */
#include "cmd/cli/commands.h"
#include "cmd/saved/reading.h"

#define FIELD(name) offsetof(struct sprof_reading, name)

static const struct sprof_option_group groups[] = {
	{"Filters", sprof_report_options_filter_table, FIELD(shown)},
	{"Time and process", sprof_reading_filter_table},
	{"Names", sprof_naming_late_table, FIELD(naming)},
	{"Output", sprof_report_options_output_table, FIELD(shown)},
	{"Output", sprof_report_options_json_table, FIELD(shown)},
	{"Output", sprof_report_options_weight_table, FIELD(shown)},
	{"General", sprof_common_option_table},
	{0},
};

static bool run(const void *data, char *const operands[], int *ret_exit, struct sprof_error *err)
{
	const struct sprof_reading *options = data;
	struct sprof_report_options shown = options->shown;
	struct sprof_profile *profile;
	bool ok;

	if (!operands[0] || !shown.outputs.count) {
		sprof_error_set(err, SPROF_ERROR_USAGE, "merge needs profiles, and -o FILE");
		return sprof_error_hint(err, "for example: sprof merge -o all.pb.gz prof-*.pb.gz");
	}
	shown.outputs.is_saved = true;
	if (!sprof_outputs_settle(&shown.outputs, SPROF_STDOUT_REPORT, err) ||
		!sprof_reading_load_all(options, operands, &profile, err))
		return false;
	shown.no_pager = true;
	ok = sprof_report_options_filter(&shown, &profile, err) &&
		sprof_report_options_write_all(&shown, profile, ret_exit, err);
	sprof_profile_destroy(profile);
	return ok;
}

const struct sprof_command sprof_command_merge = {
	.name = "merge",
	.summary = "Merge saved profiles into one",
	.synopsis = "[options] -o FILE PROFILE...",
	.details = "Labels such as process, thread, host and rank are kept. Profiles that count "
		   "different things are\n"
		   "refused.\n\n"
		   "  mpirun -n 4 sprof run -o prof-%r.pb.gz -- ./app\n"
		   "  sprof merge -o all.pb.gz prof-*.pb.gz\n"
		   "  sprof report --by rank all.pb.gz\n",
	.groups = groups,
	/* sprof report takes several files, too. */
	.hidden = SPROF_REPORT_OPTIONS_OLD
	"focus ignore hide charge-callers thread state label pid from to weight debug-dir "
	"sysmap debuginfod debuginfod-limit trust-paths verbose",
	.defaults = &sprof_reading_defaults,
	.options_size = sizeof(struct sprof_reading),
	.options_anywhere = true,
	.run = run,
};
