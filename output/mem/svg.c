/* `sprof mem` as a picture, and as a page with the picture and the tables. */
#include "output/mem/report.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "output/escape.h"
#include "output/units.h"

enum {
	WIDTH = 900,
	HEIGHT = 360,
	LEFT = 90, /* margins for labels */
	TOP = 30,
	BOTTOM = 40,
	MARKS = 5,
};

static const struct {
	enum sprof_memory_metric metric;
	const char *colour;
} lines[] = {
	{SPROF_MEMORY_RSS, "#1f6fb4"},
	{SPROF_MEMORY_PSS, "#e07b26"},
	{SPROF_MEMORY_USS, "#2c8a3d"},
	{SPROF_MEMORY_SWAP, "#a33"},
};

struct drawing {
	const struct sprof_mem_report *report;
	struct sprof_out *out;
	uint64_t most; /* the top, in bytes */
};

static double x_of(const struct drawing *drawing, uint64_t time_ns)
{
	const uint64_t begin = drawing->report->begin_ns, whole = drawing->report->end_ns - begin;

	return LEFT + (whole ? (double)(time_ns - begin) / (double)whole : 0) * (WIDTH - LEFT);
}

static double y_of(const struct drawing *drawing, uint64_t bytes)
{
	return TOP + (1 - (double)bytes / (double)drawing->most) * HEIGHT;
}

static void write_name(const char *name, struct sprof_out *out)
{
	if (!sprof_escape_text(out, name))
		sprof_out_fail(out, ENOMEM);
}

/* Its steps, each up to where the next one begins. */
static void draw_series(const struct drawing *drawing, const struct sprof_series *series,
	const char *style, const char *name)
{
	if (!series->count)
		return;
	sprof_out_printf(drawing->out, "<polyline fill=\"none\" %s points=\"", style);
	for (size_t i = 0; i < series->steps; i++) {
		const uint64_t from = series->first_ns + i * series->step_ns;
		const uint64_t to =
			i + 1 < series->steps ? from + series->step_ns : series->last_ns;
		const double y = y_of(drawing, series->course[i]);

		sprof_out_printf(drawing->out, "%.1f,%.1f %.1f,%.1f ", x_of(drawing, from), y,
			x_of(drawing, to > from ? to : from), y);
	}
	sprof_out_puts(drawing->out, "\"><title>");
	write_name(name, drawing->out);
	sprof_out_printf(drawing->out, ", at most %s</title></polyline>\n",
		sprof_figure_bytes(series->max).text);
}

static void draw_processes(const struct drawing *drawing)
{
	const struct sprof_memory_watch *watch = drawing->report->watch;

	for (size_t i = 0; watch->count > 1 && i < watch->count; i++)
		draw_series(drawing, &watch->items[i].series[SPROF_MEMORY_RSS],
			"stroke=\"#999\" stroke-width=\"1\"", watch->items[i].comm);
}

static void draw_totals(const struct drawing *drawing)
{
	char style[64];

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *name = sprof_mem_metric_name(lines[i].metric);

		snprintf(style, sizeof(style), "stroke=\"%s\" stroke-width=\"2\"", lines[i].colour);
		draw_series(drawing, &drawing->report->watch->totals[lines[i].metric], style, name);
		sprof_out_printf(drawing->out, "<text x=\"%zu\" y=\"%d\" fill=\"%s\">%s</text>\n",
			LEFT + 60 * i, TOP - 10, lines[i].colour, name);
	}
}

static void draw_marks(const struct drawing *drawing)
{
	const struct sprof_mem_report *report = drawing->report;
	const uint64_t whole = report->end_ns - report->begin_ns;

	for (uint64_t i = 0; i <= MARKS; i++) {
		const uint64_t bytes = drawing->most / MARKS * i;
		const double y = y_of(drawing, bytes);

		sprof_out_printf(drawing->out,
			"<path d=\"M%d %.1fH%d\" stroke=\"#ddd\"/>"
			"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			LEFT, y, WIDTH, LEFT - 6, y + 4, sprof_figure_bytes(bytes).text);
		sprof_out_printf(drawing->out,
			"<text x=\"%.1f\" y=\"%d\" text-anchor=\"%s\">%s</text>\n",
			x_of(drawing, report->begin_ns + whole / MARKS * i), TOP + HEIGHT + 20,
			i == MARKS ? "end" : "middle", sprof_figure_time(whole / MARKS * i).text);
	}
}

/* A round number of MiB, or of KiB. */
static uint64_t top_of(const struct sprof_memory_watch *watch)
{
	uint64_t unit = MARKS * 1024, most = 0;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (watch->totals[lines[i].metric].max > most)
			most = watch->totals[lines[i].metric].max;
	}

	while (unit * 8 < most)
		unit *= 2;
	return (most / unit + 1) * unit;
}

void sprof_mem_report_svg(const struct sprof_mem_report *report, struct sprof_out *out)
{
	const struct drawing drawing = {report, out, top_of(report->watch)};

	sprof_out_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		"font-family=\"sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		WIDTH + 10, TOP + HEIGHT + BOTTOM);
	draw_marks(&drawing);
	draw_processes(&drawing);
	draw_totals(&drawing);
	sprof_out_puts(out, "</svg>\n");
}

/* The text's writers know nothing of a page, so it goes through a file that is in memory only. */
static bool render(const struct sprof_mem_report *report, int fd)
{
	struct sprof_mem_report wide = *report;
	struct sprof_error ignored;
	struct sprof_out *text;

	wide.width = 0;
	if (fd < 0 || !sprof_out_open_fd(fd, "text", &text, &ignored))
		return false;
	sprof_mem_report_text(&wide, text);
	return sprof_out_close(text, &ignored);
}

/* Names in it are clean already; here they are escaped. */
static void write_text(const struct sprof_mem_report *report, struct sprof_out *out)
{
	SPROF_AUTO_CLOSE int fd = memfd_create("text", MFD_CLOEXEC);
	char part[4096];
	ssize_t size;

	if (!render(report, fd) || lseek(fd, 0, SEEK_SET)) {
		sprof_out_fail(out, ENOMEM);
		return;
	}
	while ((size = read(fd, part, sizeof(part))) > 0)
		sprof_escape_clean(out, part, (size_t)size);
}

void sprof_mem_report_html(const struct sprof_mem_report *report, struct sprof_out *out)
{
	sprof_out_puts(out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		"<title>memory</title></head><body>\n");
	sprof_mem_report_svg(report, out);
	sprof_out_puts(out, "<pre>\n");
	write_text(report, out);
	sprof_out_puts(out, "</pre>\n</body></html>\n");
}
