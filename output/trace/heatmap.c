/* Writes the data of heatmaps, and at the end draws them: one rectangle per non-empty cell. */
#include "output/trace/heatmap.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/strings.h"
#include "output/escape.h"
#include "output/units.h"

/* FILES_MAX: of calls that don't exist, a program can make any number. */
enum { PATH_SIZE = 4096, FILES_MAX = 1024 };

enum {
	WIDTH = 1000,
	LEFT = 80, /* margins for labels */
	TOP = 40,
	BOTTOM = 40,
	ROW_HEIGHT = 8,
	TIME_MARKS = 5,
	SHADES = 8,
};

/* From the lightest to the darkest. */
static const char *const shades[SHADES] = {
	"#fdeec9", "#fbd78f", "#f7b85c", "#f0923a", "#e06a26", "#c4441c", "#9a2718", "#611313"};

/* The part of the grid with counts. */
struct drawing {
	const struct sprof_heat_grid *grid;
	struct sprof_out *out;
	unsigned lowest, highest;
	uint32_t most;
	double column_width;
};

static void measure(struct drawing *drawing)
{
	const struct sprof_heat_grid *grid = drawing->grid;

	drawing->lowest = SPROF_HEAT_ROWS;
	for (unsigned i = 0; i < grid->columns; i++) {
		for (unsigned row = 0; row < SPROF_HEAT_ROWS; row++) {
			uint32_t count = grid->counts[i][row];

			if (!count)
				continue;
			drawing->lowest = row < drawing->lowest ? row : drawing->lowest;
			drawing->highest = row > drawing->highest ? row : drawing->highest;
			drawing->most = count > drawing->most ? count : drawing->most;
		}
	}
	drawing->column_width = (double)(WIDTH - LEFT) / (grid->columns ? grid->columns : 1);
}

static unsigned height_of(const struct drawing *drawing)
{
	return drawing->most ? (drawing->highest - drawing->lowest + 1) * ROW_HEIGHT : 0;
}

static unsigned y_of(const struct drawing *drawing, unsigned row)
{
	return TOP + (drawing->highest - row) * ROW_HEIGHT;
}

static unsigned bits_of(uint32_t count)
{
	return 32 - (unsigned)__builtin_clz(count);
}

/* Shades are logarithmic, so that single slow instances are visible beside thousands of others. */
static const char *shade_of(const struct drawing *drawing, uint32_t count)
{
	return shades[(bits_of(count) - 1) * (SHADES - 1) / bits_of(drawing->most)];
}

static void draw_place(const struct drawing *drawing, unsigned column, unsigned row)
{
	const struct sprof_heat_grid *grid = drawing->grid;
	uint32_t count = grid->counts[column][row];

	sprof_out_printf(drawing->out,
		"<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>"
		"%" PRIu32 " from %s to %s",
		LEFT + column * drawing->column_width, y_of(drawing, row), drawing->column_width,
		ROW_HEIGHT, shade_of(drawing, count), count,
		sprof_figure_time(sprof_heat_grid_least(row)).text,
		sprof_figure_time(sprof_heat_grid_least(row + 1)).text);
	sprof_out_printf(drawing->out, ", at %s</title></rect>\n",
		sprof_figure_time(column * grid->column_ns).text);
}

static void draw_places(const struct drawing *drawing)
{
	for (unsigned i = 0; i < drawing->grid->columns; i++) {
		for (unsigned row = drawing->lowest; row <= drawing->highest; row++) {
			if (drawing->grid->counts[i][row])
				draw_place(drawing, i, row);
		}
	}
}

/* Labels each power of two, or of sixteen if there are many. */
static void draw_latencies(const struct drawing *drawing)
{
	const unsigned span = drawing->highest - drawing->lowest;
	const unsigned step =
		span > 16 * SPROF_HEAT_STEPS ? 4 * SPROF_HEAT_STEPS : SPROF_HEAT_STEPS;

	for (unsigned row = drawing->lowest; row <= drawing->highest; row++) {
		if (row % step && span >= step)
			continue;
		sprof_out_printf(drawing->out,
			"<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%s</text>\n", LEFT - 6,
			y_of(drawing, row) + ROW_HEIGHT,
			sprof_figure_time(sprof_heat_grid_least(row)).text);
	}
}

static void draw_times(const struct drawing *drawing)
{
	const struct sprof_heat_grid *grid = drawing->grid;

	for (unsigned i = 0; i <= TIME_MARKS; i++) {
		unsigned column = grid->columns * i / TIME_MARKS;

		sprof_out_printf(drawing->out,
			"<text x=\"%.1f\" y=\"%u\" text-anchor=\"%s\">%s</text>\n",
			LEFT + column * drawing->column_width, TOP + height_of(drawing) + 20,
			i == TIME_MARKS ? "end" : "middle",
			sprof_figure_time(column * grid->column_ns).text);
	}
}

/*
 * Draws time to the right and latency upwards, both with units; darker means more. `title` may be
 * any text.
 */
static void heatmap_svg_write(
	const struct sprof_heat_grid *grid, const char *title, struct sprof_out *out)
{
	struct drawing drawing = {.grid = grid, .out = out};

	measure(&drawing);
	sprof_out_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
		"font-family=\"sans-serif\" font-size=\"11\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
		"<text x=\"%d\" y=\"20\" font-size=\"14\">",
		WIDTH + LEFT / 2, TOP + height_of(&drawing) + BOTTOM, LEFT);
	if (!sprof_escape_text(out, title))
		sprof_out_fail(out, ENOMEM);
	sprof_out_puts(out, "</text>\n");
	if (drawing.most) {
		draw_places(&drawing);
		draw_latencies(&drawing);
		draw_times(&drawing);
	}
	sprof_out_puts(out, "</svg>\n");
}

static void fail(struct sprof_heatmap *heatmap, int errnum, const char *path)
{
	if (heatmap->error.kind == SPROF_ERROR_NONE)
		sprof_error_errno(&heatmap->error, errnum, "write %s", path);
}

static void keep_error(struct sprof_heatmap *heatmap, const struct sprof_error *err)
{
	if (heatmap->error.kind == SPROF_ERROR_NONE)
		heatmap->error = *err;
}

/* The picture's path for FILE.lat. Returns NULL if out of memory. */
static char *picture_of(const char *path)
{
	const size_t length = strlen(path) - strlen(".lat");

	return sprof_string_print("%.*s.svg", (int)length, path);
}

/*
 * "FILE-<begin>-<end>.lat", with characters that are invalid in file names replaced by '_'. Returns
 * the length as snprintf(3) does.
 */
static int write_path(
	const char *file, const struct sprof_heatmap_point *point, char buffer[PATH_SIZE])
{
	int length = snprintf(buffer, PATH_SIZE, "%s-%s%s%s.lat", file, point->begin,
		point->end ? "-" : "", point->end ? point->end : "");

	/* The file's own slashes stay. */
	for (size_t i = strlen(file); i < PATH_SIZE && buffer[i]; i++) {
		if (buffer[i] == '/')
			buffer[i] = '_';
	}
	return length;
}

static void open_file(struct sprof_heatmap *heatmap, const struct sprof_heatmap_point *point,
	struct sprof_heatmap_file *file)
{
	struct sprof_error err = {0};
	char path[PATH_SIZE];

	if (write_path(heatmap->name, point, path) >= PATH_SIZE) {
		fail(heatmap, ENAMETOOLONG, heatmap->name);
		return;
	}
	file->title = sprof_string_print(
		"%s%s%s", point->begin, point->end ? " => " : "", point->end ? point->end : "");
	file->picture = picture_of(path);
	file->grid = calloc(1, sizeof(*file->grid));
	if (!file->title || !file->picture || !file->grid) {
		fail(heatmap, ENOMEM, path);
		return;
	}
	file->is_drawn = sprof_out_open(path, &file->out, &err);
	if (file->is_drawn)
		sprof_out_keep_old(file->out);
	else
		keep_error(heatmap, &err);
}

/* NULL: none. */
static struct sprof_heatmap_file *find(const struct sprof_heatmap *heatmap, uint64_t id)
{
	for (size_t i = 0; i < heatmap->count; i++) {
		if (heatmap->files[i].id == id)
			return &heatmap->files[i];
	}
	return NULL;
}

bool sprof_heatmap_has(const struct sprof_heatmap *heatmap, uint64_t id)
{
	return find(heatmap, id);
}

/* Returns NULL if out of memory. */
static struct sprof_heatmap_file *add_file(
	struct sprof_heatmap *heatmap, const struct sprof_heatmap_point *point)
{
	struct sprof_heatmap_file file = {.id = point->id};

	if (heatmap->count == FILES_MAX) {
		if (heatmap->error.kind == SPROF_ERROR_NONE)
			sprof_error_set(&heatmap->error, SPROF_ERROR_IO,
				"write %s: only %d heatmaps are possible", heatmap->name,
				FILES_MAX);
		return NULL;
	}
	if (!sprof_array_reserve(&heatmap->files, &heatmap->capacity, heatmap->count + 1,
		    sizeof(*heatmap->files))) {
		fail(heatmap, ENOMEM, heatmap->name);
		return NULL;
	}
	open_file(heatmap, point, &file);
	heatmap->files[heatmap->count++] = file;
	return &heatmap->files[heatmap->count - 1];
}

void sprof_heatmap_write(struct sprof_heatmap *heatmap, const struct sprof_heatmap_point *point)
{
	struct sprof_heatmap_file *file = find(heatmap, point->id);

	if (!file && heatmap->name)
		file = add_file(heatmap, point);
	if (!file || !file->out)
		return;
	sprof_out_printf(file->out, "%" PRIu64 " %" PRIu64 "\n", point->time_ns, point->latency_ns);
	sprof_heat_grid_add(file->grid, point->time_ns, point->latency_ns);
}

static void close_file(struct sprof_heatmap *heatmap, struct sprof_heatmap_file *file)
{
	struct sprof_error err = {0};

	if (file->out && !sprof_out_close(file->out, &err))
		keep_error(heatmap, &err);
	file->out = NULL;
}

static void write_picture(struct sprof_heatmap *heatmap, const struct sprof_heatmap_file *file)
{
	struct sprof_error err = {0};
	struct sprof_out *out;

	if (!file->is_drawn)
		return;
	if (sprof_out_open(file->picture, &out, &err)) {
		heatmap_svg_write(file->grid, file->title, out);
		if (sprof_out_close(out, &err))
			return;
	}
	keep_error(heatmap, &err);
}

static bool write_page_to(
	const struct sprof_heatmap *heatmap, const char *path, struct sprof_error *err)
{
	struct sprof_out *out;

	if (!sprof_out_open(path, &out, err))
		return false;
	sprof_out_puts(out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
		"<title>latencies</title></head><body>\n");
	for (size_t i = 0; i < heatmap->count; i++) {
		if (heatmap->files[i].is_drawn)
			heatmap_svg_write(heatmap->files[i].grid, heatmap->files[i].title, out);
	}
	sprof_out_puts(out, "</body></html>\n");
	return sprof_out_close(out, err);
}

static void write_page(struct sprof_heatmap *heatmap)
{
	SPROF_AUTO_FREE char *path = NULL;
	struct sprof_error err = {0};

	if (!heatmap->count)
		return;
	path = sprof_string_print("%s.html", heatmap->name);
	if (path ? !write_page_to(heatmap, path, &err) : !sprof_error_no_memory(&err))
		keep_error(heatmap, &err);
}

bool sprof_heatmap_close(struct sprof_heatmap *heatmap, struct sprof_error *err)
{
	for (size_t i = 0; i < heatmap->count; i++) {
		close_file(heatmap, &heatmap->files[i]);
		write_picture(heatmap, &heatmap->files[i]);
	}
	write_page(heatmap);
	for (size_t i = 0; i < heatmap->count; i++) {
		free(heatmap->files[i].title);
		free(heatmap->files[i].picture);
		free(heatmap->files[i].grid);
	}
	free(heatmap->files);
	heatmap->files = NULL;
	heatmap->count = heatmap->capacity = 0;
	if (heatmap->error.kind == SPROF_ERROR_NONE)
		return true;
	*err = heatmap->error;
	return false;
}
