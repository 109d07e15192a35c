/* The tables of `sprof syscalls`: on stdout, and in text files. Does not write profiles. */
#include <stdio.h>

#include "cmd/cli/report-file.h"
#include "cmd/cli/terminal.h"
#include "cmd/syscalls/state.h"
#include "cmd/ui.h"

/* A file (NULL: stdout) is text. */
static bool write_report(const struct syscalls *syscalls, const struct sprof_call_report *report,
	const char *path, struct sprof_error *err)
{
	struct sprof_out *out;
	bool ok;

	if (!sprof_report_file_open(path, &out, err))
		return false;
	ok = syscalls->options->json && !path ? sprof_call_report_json(report, out)
					      : sprof_call_report_text(report, out);
	return (sprof_out_close(out, err) && ok) || (!ok && sprof_error_no_memory(err));
}

/* A call of the program may be shorter than all that were measured before. */
static uint64_t floor_of(const struct syscalls *syscalls, const struct sprof_call_table *table)
{
	uint64_t floor_ns = syscalls->floor_ns;

	for (size_t i = 0; i < table->count; i++) {
		const struct sprof_histogram *latency = &table->rows[i].latency;

		if (latency->count && latency->min < floor_ns)
			floor_ns = latency->min;
	}
	return floor_ns;
}

static void describe_source(const struct syscalls *syscalls, struct sprof_call_report *ret)
{
	if (syscalls->recorded) {
		ret->source = SPROF_SOURCE_PERF;
		ret->losses = sprof_recorded_events_gaps(syscalls->recorded);
		ret->gaps.ended_unseen = ret->losses.ended_unseen;
		return;
	}
	ret->source = SPROF_SOURCE_PTRACE;
	ret->gaps = sprof_calls_gaps(syscalls->calls);
	ret->floor_ns = floor_of(syscalls, ret->table);
	ret->is_filtered = syscalls->watching.subject.calls == SPROF_CALLS_SELECTED;
}

bool sprof_syscalls_report(const struct syscalls *syscalls, const struct sprof_call_table *threads,
	struct sprof_call_report *what, const char *path, struct sprof_error *err)
{
	const struct syscalls_options *options = syscalls->options;
	struct sprof_call_table table = {
		.by_thread = options->by_thread, .threshold_ns = options->threshold_ns};
	struct sprof_call_table stacks = {.by_stack = true, .threshold_ns = options->threshold_ns};
	bool ok = sprof_call_table_merge(&table, threads) &&
		(!what->is_last || !options->stacks || sprof_call_table_merge(&stacks, threads));

	if (ok) {
		sprof_call_table_sort(&table);
		sprof_call_table_sort(&stacks);
		what->profile = syscalls->watching.profile;
		what->table = &table;
		what->stacks = what->is_last && options->stacks ? &stacks : NULL;
		what->short_names = options->naming.short_names;
		what->by_thread = options->by_thread;
		describe_source(syscalls, what);
		what->is_selected = syscalls->choice.count > 0;
		what->width = path ? 0 : sprof_terminal_width();
		ok = write_report(syscalls, what, path, err);
	} else {
		sprof_error_no_memory(err);
	}
	sprof_call_table_finish(&table);
	sprof_call_table_finish(&stacks);
	return ok;
}

static bool write_files(const struct syscalls *syscalls, const struct sprof_call_report *what,
	struct sprof_error *err)
{
	for (size_t i = 0; i < syscalls->tables.count; i++) {
		const char *path = syscalls->tables.items[i].path;
		struct sprof_call_report table = *what;

		if (!path)
			continue;
		if (!sprof_syscalls_report(syscalls, &syscalls->total, &table, path, err))
			return false;
		sprof_ui_progress("wrote %s (text)", path);
	}
	return true;
}

bool sprof_syscalls_report_total(const struct syscalls *syscalls, struct sprof_error *err)
{
	struct sprof_call_report what = {
		.begin_ns = syscalls->begin_ns,
		.end_ns = syscalls->end_ns,
		.is_last = true,
	};

	if (!write_files(syscalls, &what, err))
		return false;
	if (!syscalls->prints)
		return true;
	if (syscalls->options->interval_ns && !syscalls->options->json)
		puts("\nthe whole run:");
	fflush(stdout);
	return sprof_syscalls_report(syscalls, &syscalls->total, &what, NULL, err);
}
