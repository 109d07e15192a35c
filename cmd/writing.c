/*
 * The end of a recording. The target runs again or is gone by now, so nothing here is in a hurry.
 */
#include "cmd/writing.h"

#include "base/clock.h"
#include "cmd/ui.h"
#include "elfsym/symbols.h"
#include "output/stats.h"
#include "profile/resolve.h"

static bool name_frames(const struct sprof_recording *options, struct sprof_profile *profile,
	struct sprof_error *err)
{
	const struct sprof_symbols_options naming = {
		.no_inlines = options->no_inlines,
		.no_demangle = options->no_demangle,
	};
	struct sprof_symbols *symbols;
	bool named;

	if (!sprof_symbols_create(profile->modules, &naming, &symbols, err))
		return false;
	named = sprof_profile_resolve(profile, symbols, err);
	sprof_symbols_destroy(symbols);
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

struct sprof_written sprof_writing_all(
	const struct sprof_recording *options, struct sprof_profile *profile, bool with_stdout)
{
	struct sprof_output_options output = sprof_output_options_default();
	struct sprof_written written = {0};
	struct sprof_error err = {0};

	output.weight = options->weight;
	output.threads = options->threads;
	output.report_mode = options->report_mode;
	output.top = options->top;
	if (!name_frames(options, profile, &err)) {
		sprof_ui_error(&err);
		written.failed = options->outputs.count;
		return written;
	}
	profile->quality.profiler_cpu_ns = sprof_clock_own_cpu_ns();
	written = sprof_outputs_write(&options->outputs, with_stdout, profile, &output);
	if (!options->stats_path)
		return written;
	profile->quality.profiler_cpu_ns = sprof_clock_own_cpu_ns();
	if (write_stats(options->stats_path, profile, &err)) {
		written.succeeded++;
	} else {
		sprof_ui_error(&err);
		written.failed++;
	}
	return written;
}
