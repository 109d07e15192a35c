/* The report of system calls. events/syscalls/table.c counts them. */
#include "output/syscalls/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/syscall-name.h"
#include "base/system-names.h"
#include "output/table.h"
#include "output/units.h"
#include "profile/model/owners.h"

enum { NAME_SIZE = 64, ERRORS_SIZE = 128 };

static const struct sprof_table_column columns[] = {
	{"thread", false, 0},
	{"comm", true, 0},
	{"syscall", true, 0},
	{"calls", false, 0},
	{"total(us)", false, 0},
	{"min(us)", false, 4},
	{"avg(us)", false, 6},
	{"p50", false, 3},
	{"p95", false, 5},
	{"p99", false, 2},
	{"max(us)", false, 7},
	{"err", false, 0},
	{"than(reqs)", false, 8},
	{"errors", true, 1},
};

/* The columns in front are of threads, the last but one of the threshold. */
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]), THREAD_COLUMNS = 2, THAN_COLUMN = 12 };

struct shown {
	struct sprof_table_column columns[COLUMNS];
	struct sprof_table table;
};

static bool has_threshold(const struct sprof_call_report *report)
{
	return report->table->threshold_ns > 0;
}

static void choose_columns(const struct sprof_call_report *report, struct shown *shown)
{
	size_t count = 0;

	for (size_t i = report->by_thread ? 0 : THREAD_COLUMNS; i < COLUMNS; i++) {
		if (i != THAN_COLUMN || has_threshold(report))
			shown->columns[count++] = columns[i];
	}
	shown->table = (struct sprof_table){.columns = shown->columns, .column_count = count};
}

/* "ENOENT 12, EAGAIN 3", the most frequent first. */
static void list_errors(const struct sprof_call_row *row, char *buffer, size_t size)
{
	struct sprof_call_error errors[CALL_ERRORS];
	size_t used = 0;

	memcpy(errors, row->by_error, sizeof(errors));
	buffer[0] = '\0';
	for (;;) {
		struct sprof_call_error *most = &errors[0];
		const char *name;

		for (size_t i = 1; i < CALL_ERRORS; i++)
			most = errors[i].count > most->count ? &errors[i] : most;
		name = sprof_error_number_name(most->errnum);
		if (!most->count || used >= size)
			return;
		used += (size_t)snprintf(buffer + used, size - used, "%s%s %llu", used ? ", " : "",
			name ? name : "?", (unsigned long long)most->count);
		most->count = 0;
	}
}

static void add_threshold(const struct sprof_call_row *row, struct sprof_table *table)
{
	double share =
		row->latency.count ? 100.0 * (double)row->over / (double)row->latency.count : 0;

	sprof_table_cell(table, "%llu (%3.0f%%)", (unsigned long long)row->over, share);
}

static void add_figures(const struct sprof_call_report *report, const struct sprof_call_row *row,
	struct sprof_table *table)
{
	const struct sprof_histogram *latency = &row->latency;
	char errors[ERRORS_SIZE];

	list_errors(row, errors, sizeof(errors));
	sprof_table_cell(table, "%llu", (unsigned long long)latency->count);
	sprof_table_us(table, (double)latency->total);
	sprof_table_us(table, (double)latency->min);
	sprof_table_us(table,
		row->latency.count ? (double)row->latency.total / (double)row->latency.count : 0);
	sprof_table_us(table, (double)sprof_histogram_quantile(latency, 0.5));
	sprof_table_us(table, (double)sprof_histogram_quantile(latency, 0.95));
	sprof_table_us(table, (double)sprof_histogram_quantile(latency, 0.99));
	sprof_table_us(table, (double)latency->max);
	sprof_table_cell(table, "%llu", (unsigned long long)row->errors);
	if (has_threshold(report))
		add_threshold(row, table);
	sprof_table_cell(table, "%s", errors);
}

/* Threads that the sink has not heard of can't have calls. */
static void add_thread(const struct sprof_call_report *report, const struct sprof_call_row *row,
	struct sprof_table *table)
{
	const struct sprof_profile_thread *thread = sprof_owner(report->profile, row->thread);

	if (thread) {
		sprof_table_cell(table, "%d", (int)thread->tid);
		sprof_table_text(table, thread->name);
	} else {
		sprof_table_cell(table, "-");
		sprof_table_cell(table, "-");
	}
}

static void add_row(const struct sprof_call_report *report, const struct sprof_call_row *row,
	struct sprof_table *table)
{
	char name[NAME_SIZE];

	sprof_syscall_name_on(row->arch, row->number, name, sizeof(name));
	if (report->by_thread)
		add_thread(report, row, table);
	sprof_table_text(table, name);
	add_figures(report, row, table);
}

/* All rows as one. Returns false if out of memory. */
static bool add_total(const struct sprof_call_report *report, struct sprof_table *table)
{
	struct sprof_call_row total = {0};

	for (size_t i = 0; i < report->table->count; i++) {
		const struct sprof_call_row *row = &report->table->rows[i];

		if (!sprof_histogram_merge(&total.latency, &row->latency)) {
			sprof_histogram_finish(&total.latency);
			return false;
		}
		total.errors += row->errors;
		total.over += row->over;
	}
	if (report->by_thread) {
		sprof_table_cell(table, "-");
		sprof_table_cell(table, "-");
	}
	sprof_table_text(table, "TOTAL");
	add_figures(report, &total, table);
	sprof_histogram_finish(&total.latency);
	return true;
}

static const char *source_of(const struct sprof_call_report *report)
{
	return report->source == SPROF_SOURCE_PERF ? "tracepoints" : "ptrace";
}

static void write_head(const struct sprof_call_report *report, struct sprof_out *out)
{
	const char *how = report->source == SPROF_SOURCE_PERF ? ", without stops"
		: report->is_filtered ? ", the chosen calls stop their thread"
				      : ", each call stops its thread";

	if (!report->is_last)
		sprof_out_printf(out, "%s   ", sprof_figure_moment(sprof_clock_real_ns()).text);
	sprof_out_printf(out, "source: %s%s; over %s", source_of(report), how,
		sprof_figure_time(report->end_ns - report->begin_ns).text);
	if (report->floor_ns)
		sprof_out_printf(
			out, "; latency floor %.1f us", (double)report->floor_ns / SPROF_NS_PER_US);
	else if (report->source == SPROF_SOURCE_PTRACE)
		sprof_out_puts(out, "; latency floor not known");
	sprof_out_puts(out, "\n");
}

/* Calls seen in part, by name: "futex 3 (12.0 s)". */
static void write_parts(const struct sprof_call_report *report, struct sprof_out *out)
{
	const struct sprof_call_table *table = report->table;
	bool any = false;

	for (size_t i = 0; i < table->count; i++) {
		const struct sprof_call_row *row = &table->rows[i];
		char name[NAME_SIZE];

		if (!row->cut_off)
			continue;
		sprof_syscall_name_on(row->arch, row->number, name, sizeof(name));
		sprof_out_printf(out, "%s%s %llu (%s)",
			any ? ", "
			    : "not whole, so not in the table, with the time that was seen: ",
			name, (unsigned long long)row->cut_off,
			sprof_figure_time(row->cut_off_ns).text);
		any = true;
	}
	if (any)
		sprof_out_puts(out, "\n");
}

static void write_gaps(const struct sprof_call_report *report, struct sprof_out *out)
{
	if (report->gaps.threads_asleep)
		sprof_out_printf(out,
			"threads that never ran while sprof watched, and that it did not wake: %u; "
			"their calls are missing\n",
			report->gaps.threads_asleep);
	if (report->gaps.runs_unseen)
		sprof_out_printf(out,
			"threads have run up to %llu times, and slept again, before sprof traced them: "
			"their calls until then are missing; --source kernel misses none\n",
			(unsigned long long)report->gaps.runs_unseen);
	if (report->gaps.ended_unseen)
		sprof_out_printf(out, "ended before their thread was traced: %llu calls\n",
			(unsigned long long)report->gaps.ended_unseen);
}

void sprof_call_report_losses(struct sprof_recorded_gaps losses, struct sprof_out *out)
{
	if (losses.lost)
		sprof_out_printf(out,
			"the kernel has lost %llu records: what they may belong to is left out, so "
			"calls and times are at least these\n",
			(unsigned long long)losses.lost);
	if (losses.unwatched)
		sprof_out_printf(out,
			"%u events of threads could not be opened: theirs are missing\n",
			losses.unwatched);
	if (losses.refused)
		sprof_out_printf(out,
			"%u uprobes of threads can't be where their functions begin, so calls are "
			"missing; with --source ptrace, breakpoints can\n",
			losses.refused);
	if (losses.late)
		sprof_out_printf(out,
			"uprobes were opened late for new threads and programs (%u), so their first "
			"calls may be missing; --source ptrace misses none\n",
			losses.late);
}

/* Writes the share of the threads' time in system calls, including partly seen calls. */
static void write_share(const struct sprof_call_report *report, struct sprof_out *out)
{
	uint64_t wall_ns = 0, calls_ns = 0;

	for (size_t i = 0; i < report->profile->thread_count; i++)
		wall_ns += sprof_times_wall(&report->profile->threads[i].times);
	for (size_t i = 0; i < report->table->count; i++)
		calls_ns +=
			report->table->rows[i].latency.total + report->table->rows[i].cut_off_ns;
	if (!wall_ns)
		return;
	sprof_out_printf(out, "%s: %s, %.1f %% of the %s that %zu %s lived meanwhile\n",
		report->is_selected ? "the chosen calls" : "in system calls",
		sprof_figure_time(calls_ns).text, 100.0 * (double)calls_ns / (double)wall_ns,
		sprof_figure_time(wall_ns).text, report->profile->thread_count,
		report->profile->thread_count == 1 ? "thread" : "threads");
}

bool sprof_call_report_text(const struct sprof_call_report *report, struct sprof_out *out)
{
	struct shown shown;
	bool ok;

	choose_columns(report, &shown);
	for (size_t i = 0; i < report->table->count; i++) {
		/* Calls that were only seen in part have no figures. */
		if (report->table->rows[i].latency.count > 0)
			add_row(report, &report->table->rows[i], &shown.table);
	}
	write_head(report, out);
	ok = add_total(report, &shown.table) && sprof_table_write(&shown.table, report->width, out);
	sprof_table_finish(&shown.table);
	write_parts(report, out);
	write_gaps(report, out);
	sprof_call_report_losses(report->losses, out);
	if (report->is_last)
		write_share(report, out);
	return ok && (!report->stacks || sprof_call_stacks_text(report, out));
}

static void json_thread(const struct sprof_call_report *report, const struct sprof_call_row *row,
	struct sprof_json *json)
{
	const struct sprof_profile_thread *thread =
		report->by_thread ? sprof_owner(report->profile, row->thread) : NULL;

	if (!thread)
		return;
	sprof_json_format(json, "\"tid\":%d,\"comm\":", (int)thread->tid);
	sprof_json_string(json, thread->name);
	sprof_json_text(json, ",");
}

static void json_errors(const struct sprof_call_row *row, struct sprof_json *json)
{
	bool first = true;

	sprof_json_text(json, ",\"by_error\":{");
	for (size_t i = 0; i < CALL_ERRORS && row->by_error[i].count; i++) {
		const char *name = sprof_error_number_name(row->by_error[i].errnum);

		sprof_json_comma(json, &first);
		sprof_json_string(json, name ? name : "?");
		sprof_json_format(json, ":%llu", (unsigned long long)row->by_error[i].count);
	}
	sprof_json_text(json, "}");
}

static void json_row(const struct sprof_call_report *report, const struct sprof_call_row *row,
	struct sprof_json *json)
{
	const struct sprof_histogram *latency = &row->latency;
	char name[NAME_SIZE];

	sprof_syscall_name_on(row->arch, row->number, name, sizeof(name));
	sprof_json_text(json, "{");
	json_thread(report, row, json);
	sprof_json_member_string(json, "\"syscall\":", name);
	sprof_json_format(json,
		",\"number\":%lld,\"calls\":%llu,\"total_ns\":%llu,\"min_ns\":%llu,\"p50_ns\":%llu,"
		"\"p95_ns\":%llu,\"p99_ns\":%llu,\"max_ns\":%llu,\"errors\":%llu,\"over\":%llu,"
		"\"partial\":%llu,\"partial_ns\":%llu,\"open\":%llu",
		(long long)row->number, (unsigned long long)latency->count,
		(unsigned long long)latency->total, (unsigned long long)latency->min,
		(unsigned long long)sprof_histogram_quantile(latency, 0.5),
		(unsigned long long)sprof_histogram_quantile(latency, 0.95),
		(unsigned long long)sprof_histogram_quantile(latency, 0.99),
		(unsigned long long)latency->max, (unsigned long long)row->errors,
		(unsigned long long)row->over, (unsigned long long)row->cut_off,
		(unsigned long long)row->cut_off_ns, (unsigned long long)row->open);
	json_errors(row, json);
	sprof_json_text(json, "}");
}

bool sprof_call_report_json(const struct sprof_call_report *report, struct sprof_out *out)
{
	struct sprof_json json;
	bool first = true;

	if (!sprof_json_open(&json, out, false))
		return false;
	sprof_json_format(&json,
		"{\"source\":\"%s\",\"floor_ns\":%llu,\"duration_ns\":%llu,\"last\":%s,\"time_ns\":%llu,"
		"\"threads_asleep\":%u,\"runs_unseen\":%llu,\"ended_unseen\":%llu,\"lost\":%llu,\"rows\":[",
		source_of(report), (unsigned long long)report->floor_ns,
		(unsigned long long)(report->end_ns - report->begin_ns),
		report->is_last ? "true" : "false", (unsigned long long)sprof_clock_real_ns(),
		report->gaps.threads_asleep, (unsigned long long)report->gaps.runs_unseen,
		(unsigned long long)report->gaps.ended_unseen,
		(unsigned long long)report->losses.lost);
	for (size_t i = 0; i < report->table->count; i++) {
		sprof_json_comma(&json, &first);
		json_row(report, &report->table->rows[i], &json);
	}
	sprof_json_text(&json, "]");
	if (report->stacks) {
		sprof_json_text(&json, ",\"stacks\":");
		sprof_call_stacks_json(report, &json);
	}
	sprof_json_text(&json, "}\n");
	sprof_json_close(&json);
	return true;
}
