/* The end of a recording. The target is running again or gone, so speed does not matter here. */
#include "cmd/record/writing.h"

#include "base/clock.h"
#include "cmd/cli/progress.h"
#include "cmd/saved/naming.h"
#include "cmd/ui.h"
#include "output/stats.h"
#include "profile/edit/estimate.h"
#include "profile/names/identify.h"
#include "profile/names/resolve.h"

bool sprof_writing_name(const struct sprof_naming *options, struct sprof_profile *profile,
	bool with_network, const char *words, struct sprof_error *err)
{
	struct sprof_progress *progress = sprof_progress_begin("%s", words);
	struct sprof_namer namer;
	bool named;

	if (!sprof_namer_create(options, profile->modules, with_network, &namer, err)) {
		sprof_progress_end(progress);
		return false;
	}
	named = (sprof_profile_settle(profile) || sprof_error_no_memory(err)) &&
		sprof_profile_resolve(profile, namer.symbols, err) &&
		sprof_profile_identify(profile, err);
	sprof_namer_finish(&namer);
	sprof_progress_end(progress);
	return named;
}

static bool write_stats(
	const char *path, const struct sprof_profile *profile, struct sprof_error *err)
{
	struct sprof_out *out;

	if (!sprof_out_open(path, &out, err))
		return false;
	sprof_stats_write(&profile->quality, out);
	return sprof_out_close(out, err);
}

static struct sprof_written write_outputs(const struct sprof_recording *options,
	const struct sprof_profile *profile, const struct sprof_profile *whole, bool with_stdout)
{
	struct sprof_report_options shown = options->shown;
	struct sprof_output_options output;
	struct sprof_error err = {0};

	shown.outputs.whole = whole;
	if (sprof_report_options_output_options(&shown, profile, &output, &err))
		return sprof_report_options_write(&shown, profile, &output, with_stdout);
	sprof_ui_error(&err);
	return (struct sprof_written){.failed = shown.outputs.count};
}

/* If the filter leaves nothing, write all: a recording must not be lost. */
static struct sprof_written write_shown(const struct sprof_recording *options,
	const struct sprof_profile *profile, bool with_stdout)
{
	struct sprof_profile *part = NULL;
	struct sprof_error err = {0};
	struct sprof_written written;

	if (sprof_filter_is_empty(&options->shown.filter))
		return write_outputs(options, profile, profile, with_stdout);
	if (!sprof_profile_filter(profile, &options->shown.filter, &part, &err))
		sprof_ui_error(&err);
	written = write_outputs(options, part ? part : profile, profile, with_stdout);
	written.failed += part ? 0 : 1;
	sprof_profile_destroy(part);
	return written;
}

/* With -t, each thread has what its own samples say. */
static bool share_out(const struct sprof_recording *options, struct sprof_profile *profile,
	struct sprof_error *err)
{
	const bool done = options->shown.output.threads ? sprof_estimate_take_back(profile)
							: sprof_estimate_share(profile);

	return done || sprof_error_no_memory(err);
}

struct sprof_written sprof_writing_all(
	const struct sprof_recording *options, struct sprof_profile *profile, bool with_stdout)
{
	uint64_t *cpu_ns = &profile->quality.profiler_cpu_ns;
	/* Includes naming and writing, which are the profiler's CPU time too. */
	const uint64_t begin_cpu_ns = sprof_clock_own_cpu_ns() - *cpu_ns;
	struct sprof_written written = {0};
	struct sprof_error err = {0};

	/* A snapshot does without the network, because a run may wait for it. */
	if (!sprof_writing_name(
		    &options->naming, profile, with_stdout, "naming what was sampled", &err) ||
		!share_out(options, profile, &err) ||
		!sprof_own_code_mark(profile, &options->shown.own, &err)) {
		sprof_ui_error(&err);
		written.failed = options->shown.outputs.count;
		return written;
	}
	*cpu_ns = sprof_clock_own_cpu_ns() - begin_cpu_ns;
	written = write_shown(options, profile, with_stdout);
	if (!options->stats_path)
		return written;
	*cpu_ns = sprof_clock_own_cpu_ns() - begin_cpu_ns;
	if (write_stats(options->stats_path, profile, &err)) {
		written.succeeded++;
	} else {
		sprof_ui_error(&err);
		written.failed++;
	}
	return written;
}
