/* The tables of `sprof mem`: processes, each figure over time, and mappings. */
#include "output/mem/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "memory/files.h"
#include "output/table.h"
#include "output/units.h"

enum { COURSE = 24, NAME_SIZE = 32 };

static const struct {
	const char *name, *key;
} metrics[SPROF_MEMORY_METRICS] = {
	[SPROF_MEMORY_RSS] = {"RSS", "rss"},
	[SPROF_MEMORY_PSS] = {"PSS", "pss"},
	[SPROF_MEMORY_USS] = {"USS", "uss"},
	[SPROF_MEMORY_SWAP] = {"swap", "swap"},
	[SPROF_MEMORY_ANON] = {"anon", "anon"},
	[SPROF_MEMORY_FILE] = {"file", "file"},
	[SPROF_MEMORY_SHMEM] = {"shmem", "shmem"},
};

const char *sprof_mem_metric_name(enum sprof_memory_metric metric)
{
	return metrics[metric].name;
}

const char *sprof_mem_metric_key(enum sprof_memory_metric metric)
{
	return metrics[metric].key;
}

static void write_table(struct sprof_table *table, size_t width, struct sprof_out *out)
{
	if (!sprof_table_write(table, width, out))
		sprof_out_fail(out, ENOMEM);
}

static void bytes_cell(struct sprof_table *table, bool is_known, uint64_t value)
{
	sprof_table_cell(table, "%s", is_known ? sprof_figure_bytes(value).text : "-");
}

static void share_cells(
	struct sprof_table *table, bool is_known, uint64_t rss, uint64_t pss, uint64_t uss)
{
	pss = pss > uss ? pss : uss;
	rss = rss > pss ? rss : pss;
	bytes_cell(table, is_known, pss - uss);
	bytes_cell(table, is_known, rss - uss);
	if (is_known && rss > uss)
		sprof_table_cell(
			table, "%.1f%%", 100.0 * (double)(pss - uss) / (double)(rss - uss));
	else
		sprof_table_cell(table, "-");
}

static const struct sprof_table_column process_columns[] = {
	{"pid", false, 0},
	{"comm", true, 0},
	{"USS", false, 0},
	{"PSS", false, 0},
	{"RSS", false, 0},
	{"swap", false, 4},
	{"at", false, 4},
	{"peak RSS", false, 5},
	{"PSS-USS", false, 2},
	{"RSS-USS", false, 1},
	{"own share", false, 3},
};

/* Without permission to read PSS and USS, RSS and swap come from their own last reading. */
static struct sprof_smaps_figures figures_of(
	const struct sprof_memory_process *process, uint64_t *ret_ns)
{
	const struct sprof_series *series = process->series;

	*ret_ns = process->whole_ns ? process->whole_ns : series[SPROF_MEMORY_RSS].last_ns;
	if (process->whole_ns)
		return process->whole;
	return (struct sprof_smaps_figures){
		.rss = series[SPROF_MEMORY_RSS].last, .swap = series[SPROF_MEMORY_SWAP].last};
}

/* All figures but the peak are of one moment. */
static void add_process(const struct sprof_mem_report *report,
	const struct sprof_memory_process *process, struct sprof_table *table)
{
	const bool has_pages = process->whole_ns;
	const bool is_read = has_pages || sprof_memory_process_has(process, SPROF_MEMORY_RSS);
	uint64_t now_ns;
	const struct sprof_smaps_figures figures = figures_of(process, &now_ns);

	sprof_table_cell(table, "%d", (int)process->pid);
	sprof_table_text(table, process->comm);
	bytes_cell(table, has_pages, figures.uss);
	bytes_cell(table, has_pages, figures.pss);
	bytes_cell(table, is_read, figures.rss);
	bytes_cell(table, is_read, figures.swap);
	sprof_table_cell(
		table, "%s", is_read ? sprof_figure_time(now_ns - report->begin_ns).text : "-");
	bytes_cell(table, is_read, process->kernels_peak);
	share_cells(table, has_pages, figures.rss, figures.pss, figures.uss);
}

static void write_processes(const struct sprof_mem_report *report, struct sprof_out *out)
{
	struct sprof_table table = SPROF_TABLE(process_columns);

	for (size_t i = 0; i < report->watch->count; i++)
		add_process(report, &report->watch->items[i], &table);
	write_table(&table, report->width, out);
}

static const struct sprof_table_column course_columns[] = {
	{"", true, 0},
	{"last", false, 0},
	{"min", false, 2},
	{"mean", false, 3},
	{"peak", false, 0},
	{"at", false, 4},
	{"growth/s", false, 5},
	{"course", true, 1},
};

/* The greatest value of each part of the time, as eighths of the peak. */
static void write_course(const struct sprof_series *series, char *ret)
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	const size_t width = series->steps < COURSE ? series->steps : COURSE;

	*ret = '\0';
	for (size_t i = 0; i < width; i++) {
		uint64_t most = 0;

		for (size_t step = series->steps * i / width;
			step < series->steps * (i + 1) / width; step++)
			most = series->course[step] > most ? series->course[step] : most;
		ret += sprintf(ret, "%s",
			blocks[series->max ? (most * 8 + series->max - 1) / series->max : 0]);
	}
}

static void add_growth(const struct sprof_series *series, struct sprof_table *table)
{
	double growth;

	if (sprof_series_growth(series, &growth))
		sprof_table_cell(table, "%s%s", growth <= -0.5 ? "-" : "",
			sprof_figure_bytes((uint64_t)(growth < 0 ? -growth : growth)).text);
	else
		sprof_table_cell(table, "-");
}

static void add_course(const struct sprof_mem_report *report, const char *name,
	const struct sprof_series *series, struct sprof_table *table)
{
	char course[COURSE * 4];

	if (!series->max)
		return;
	write_course(series, course);
	sprof_table_cell(table, "%s", name);
	bytes_cell(table, true, series->last);
	bytes_cell(table, true, series->min);
	bytes_cell(table, true, (uint64_t)sprof_series_mean(series));
	bytes_cell(table, true, series->max);
	sprof_table_cell(table, "%s", sprof_figure_time(series->max_ns - report->begin_ns).text);
	add_growth(series, table);
	sprof_table_text(table, course);
}

static void write_courses(const struct sprof_mem_report *report, struct sprof_out *out)
{
	const struct sprof_memory_watch *watch = report->watch;
	struct sprof_table table = SPROF_TABLE(course_columns);

	if (!watch->totals[SPROF_MEMORY_RSS].count) {
		sprof_out_puts(out, "it ended before a reading\n");
		return;
	}
	for (int metric = 0; metric < SPROF_MEMORY_METRICS; metric++)
		add_course(report, metrics[metric].name, &watch->totals[metric], &table);
	sprof_out_printf(out, "\n%s:\n", watch->count > 1 ? "all together" : "over time");
	write_table(&table, report->width, out);
}

static const struct sprof_table_column file_columns[] = {
	{"RSS", false, 0},
	{"PSS", false, 0},
	{"USS", false, 0},
	{"PSS-USS", false, 2},
	{"RSS-USS", false, 1},
	{"own share", false, 3},
	{"mapped", true, 0},
};

static void add_file(const struct sprof_memory_file *file, struct sprof_table *table)
{
	const struct sprof_smaps_figures *figures = &file->figures;

	bytes_cell(table, true, figures->rss);
	bytes_cell(table, true, figures->pss);
	bytes_cell(table, true, figures->uss);
	share_cells(table, true, figures->rss, figures->pss, figures->uss);
	sprof_table_text(table, file->name);
}

static void write_files_of(const struct sprof_mem_report *report,
	const struct sprof_memory_process *process, enum sprof_memory_moment moment,
	struct sprof_out *out)
{
	struct sprof_table table = SPROF_TABLE(file_columns);
	struct sprof_memory_files files = {0};

	if (!sprof_memory_files_add(&files, process->mappings[moment]))
		sprof_out_fail(out, ENOMEM);
	for (size_t i = 0; i < files.count; i++) {
		if (files.items[i].is_file || report->parts == SPROF_MEM_MAPS)
			add_file(&files.items[i], &table);
	}
	sprof_out_printf(out, "\nmapped by %d at %s:\n", (int)process->pid,
		sprof_figure_time(process->mappings_ns[moment] - report->begin_ns).text);
	write_table(&table, report->width, out);
	sprof_memory_files_finish(&files);
}

/* The requested moment, or the last one before it that was read. */
static void write_files(const struct sprof_mem_report *report, struct sprof_out *out)
{
	for (size_t i = 0; i < report->watch->count; i++) {
		const struct sprof_memory_process *process = &report->watch->items[i];
		int moment = (int)report->moment;

		while (moment >= 0 && !process->mappings[moment])
			moment--;
		if (moment >= 0)
			write_files_of(report, process, (enum sprof_memory_moment)moment, out);
		else
			sprof_out_printf(
				out, "\nwhat %d has mapped was not readable\n", (int)process->pid);
	}
}

static void write_head(const struct sprof_mem_report *report, struct sprof_out *out)
{
	const struct sprof_series *totals = report->watch->totals;

	sprof_out_printf(out,
		"memory over %s; readings of RSS: %" PRIu64 ", of PSS and USS: %" PRIu64 "\n",
		sprof_figure_time(report->end_ns - report->begin_ns).text,
		totals[SPROF_MEMORY_RSS].count,
		report->watch->items[0].series[SPROF_MEMORY_PSS].count);
	if (report->unseen_peak)
		sprof_out_printf(out,
			"RSS of one process has risen to %s, after its last reading: -i 10ms reads more "
			"often\n",
			sprof_figure_bytes(report->unseen_peak).text);
}

static void write_denied(const struct sprof_memory_watch *watch, struct sprof_out *out)
{
	for (size_t i = 0; i < watch->count; i++) {
		if (watch->items[i].is_denied)
			sprof_out_printf(out,
				"PSS and USS of %d are not known: it is another user's, or undumpable\n",
				(int)watch->items[i].pid);
	}
}

void sprof_mem_report_text(const struct sprof_mem_report *report, struct sprof_out *out)
{
	write_head(report, out);
	write_processes(report, out);
	write_courses(report, out);
	if (report->parts != SPROF_MEM_NONE)
		write_files(report, out);
	if (report->watch->dropped)
		sprof_out_printf(out,
			"%" PRIu64
			" more processes had ended and have no row; the sums have them\n",
			report->watch->dropped);
	write_denied(report->watch, out);
}
