/*
 * The end of a recording. The target runs again or is gone by now, so nothing here is in a hurry.
 */
#include "cmd/writing.h"

#include "base/clock.h"
#include "cmd/naming.h"
#include "cmd/ui.h"
#include "output/stats.h"
#include "profile/identify.h"
#include "profile/resolve.h"

/* A snapshot, which a run is waiting for, goes without the network. */
static bool name_frames(const struct sprof_recording *options, struct sprof_profile *profile,
	bool at_the_end, struct sprof_error *err)
{
	struct sprof_namer namer;
	bool named;

	if (!sprof_namer_create(&options->naming, profile->modules, at_the_end, &namer, err))
		return false;
	named = (sprof_profile_settle(profile) || sprof_error_no_memory(err)) &&
		sprof_profile_resolve(profile, namer.symbols, err) &&
		sprof_profile_identify(profile, err);
	sprof_namer_finish(&namer);
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
	struct sprof_output_options output = sprof_output_options_default();

	output.weight = options->weight;
	output.threads = options->threads;
	output.waits_only = options->waits;
	output.wait_frames = options->wait_frames;
	output.report_mode = options->report_mode;
	output.top = options->top;
	output.width = 0; /* that of the terminal, if it goes to one */
	output.short_names = options->naming.short_names;
	return output;
}

struct sprof_written sprof_writing_all(
	const struct sprof_recording *options, struct sprof_profile *profile, bool with_stdout)
{
	const struct sprof_output_options output = output_options(options);
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
	written = sprof_outputs_write(&options->outputs, with_stdout, profile, &output);
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
