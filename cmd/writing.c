/*
 * The end of a recording. The target runs again or is gone by now, so nothing here is in a hurry.
 */
#include "cmd/writing.h"

#include "base/clock.h"
#include "cmd/naming.h"
#include "cmd/pager.h"
#include "cmd/progress.h"
#include "cmd/ui.h"
#include "output/stats.h"
#include "profile/identify.h"
#include "profile/resolve.h"

/* A snapshot, which a run is waiting for, goes without the network. */
static bool name_frames(const struct sprof_recording *options, struct sprof_profile *profile,
	bool at_the_end, struct sprof_error *err)
{
	struct sprof_progress *progress = sprof_progress_begin("naming what was sampled");
	struct sprof_namer namer;
	bool named;

	if (!sprof_namer_create(&options->naming, profile->modules, at_the_end, &namer, err)) {
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

static struct sprof_output_options output_options(const struct sprof_recording *options)
{
	struct sprof_output_options output = sprof_shown_output_options(&options->shown, options->weight);

	output.short_names = options->naming.short_names;
	return output;
}

/* A report on a terminal goes through the pager. */
static struct sprof_written write_outputs(const struct sprof_recording *options,
	const struct sprof_profile *profile, const struct sprof_profile *whole, bool with_stdout)
{
	struct sprof_output_options output = output_options(options);
	struct sprof_outputs outputs = options->outputs;
	struct sprof_written written;
	struct sprof_pager pager = {0};

	if (with_stdout && !options->shown.no_pager && sprof_outputs_report_to_stdout(&options->outputs))
		sprof_pager_start(&pager);
	output.width = pager.width;
	outputs.is_paged = pager.pipe;
	outputs.whole = whole;
	written = sprof_outputs_write(&outputs, with_stdout, profile, &output);
	sprof_pager_finish(&pager);
	return written;
}

/* What was measured is not lost by a filter that leaves nothing of it: then all of it is written. */
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

struct sprof_written sprof_writing_all(
	const struct sprof_recording *options, struct sprof_profile *profile, bool with_stdout)
{
	uint64_t *cpu_ns = &profile->quality.profiler_cpu_ns;
	/* When none was used: naming and writing are the profiler's too. */
	const uint64_t begin_cpu_ns = sprof_clock_own_cpu_ns() - *cpu_ns;
	struct sprof_written written = {0};
	struct sprof_error err = {0};

	if (!name_frames(options, profile, with_stdout, &err)) {
		sprof_ui_error(&err);
		written.failed = options->outputs.count;
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
