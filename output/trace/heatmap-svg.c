/* Draws heatmaps: one rectangle per non-empty cell, with a tooltip. Does not count. */
#include "output/trace/heatmap-svg.h"

#include <errno.h>
#include <inttypes.h>

#include "output/escape.h"
#include "output/units.h"

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

/* Logarithmic: single slow instances must be visible beside thousands of others. */
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

/* At each power of two, or of sixteen where there are many. */
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

void sprof_heatmap_svg_write(
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
