/*
 * The geometry and text of a flame graph in SVG. Style and script come from output/web/flame.css
 * and flame.js. XML 1.0 can't represent most control characters and two noncharacters: sanitising
 * removes the former, escape.c replaces the latter. Without a script, in an image viewer, the file
 * still shows the whole graph with its labels.
 */
#include "output/formats/svg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "output/clean.h"
#include "output/escape.h"
#include "output/fit.h"
#include "output/html/html.h"

enum {
	WIDTH = 1200, /* px, of the root */
	ROW = 17,
	HEAD = 58, /* above the frames, for title and search */
	FOOT = 10,
	LETTER_TENTHS = 67, /* the width of a letter, in tenths of px */
	MIN_LETTERS = 3,
};

/* Writes the part of the name that fits. */
static bool put_label(struct sprof_out *out, const char *name, double width)
{
	SPROF_AUTO_FREE char *clean = sprof_clean_text(name, NULL);
	size_t letters = width > 6 ? (size_t)((width - 6) * 10 / LETTER_TENTHS) : 0;
	size_t bytes;

	if (!clean)
		return false;
	if (letters < MIN_LETTERS)
		return true;
	bytes = sprof_fit_bytes(clean, letters);
	if (!clean[bytes]) {
		sprof_escape_clean(out, clean, bytes);
	} else {
		sprof_escape_clean(out, clean, sprof_fit_bytes(clean, letters - 1));
		sprof_out_puts(out, "\xe2\x80\xa6");
	}
	return true;
}

static unsigned height_of(const struct sprof_svg *svg)
{
	return HEAD + FOOT + (svg->depth + 1) * ROW;
}

static void put_controls(struct sprof_out *out)
{
	sprof_out_puts(out,
		"<foreignObject id=\"controls\" x=\"760\" y=\"8\" width=\"432\" height=\"34\">"
		"<div xmlns=\"http://www.w3.org/1999/xhtml\"><output id=\"match\"></output>"
		"<input id=\"search\" type=\"search\" placeholder=\"Search\" "
		"aria-label=\"Search functions\"/><button id=\"reset\" type=\"button\">"
		"Reset zoom</button></div></foreignObject>\n");
}

bool sprof_svg_begin(const struct sprof_svg *svg)
{
	struct sprof_out *out = svg->out;
	unsigned height = height_of(svg);

	sprof_out_printf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%d\" "
		"height=\"%u\" "
		"viewBox=\"0 0 %d %u\" font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans "
		"Mono', monospace\" font-size=\"11\">\n<title>",
		WIDTH, height, WIDTH, height);
	if (!sprof_escape_text(out, svg->title))
		return false;
	sprof_out_puts(out, "</title>\n<style><![CDATA[\n");
	sprof_out_puts(out, sprof_web_flame_style);
	sprof_out_printf(
		out, "]]></style>\n<rect class=\"page\" width=\"100%%\" height=\"%u\"/>\n", height);
	sprof_out_puts(out, "<text class=\"heading\" x=\"8\" y=\"22\">");
	if (!put_label(out, svg->title, 740))
		return false;
	sprof_out_puts(out, "</text>\n<text class=\"soft\" x=\"8\" y=\"40\">");
	if (!sprof_escape_text(out, svg->subtitle))
		return false;
	sprof_out_puts(out, "</text>\n");
	put_controls(out);
	sprof_out_printf(out, "<g id=\"frames\" data-whole=\"%" PRIu64 "\">\n", svg->whole);
	return true;
}

static bool put_tooltip(struct sprof_out *out, const struct sprof_svg_frame *frame)
{
	sprof_out_puts(out, "<title>");
	if (!sprof_escape_text(out, frame->name))
		return false;
	if (frame->place) {
		sprof_out_puts(out, " (");
		if (!sprof_escape_text(out, frame->place))
			return false;
		sprof_out_puts(out, ")");
	}
	sprof_out_printf(out, "\n%s</title>", frame->figures);
	return true;
}

/* Zooming uses data-s and data-t: positions in px would lose tiny frames. */
bool sprof_svg_put_frame(const struct sprof_svg *svg, const struct sprof_svg_frame *frame)
{
	double scale = (double)WIDTH / (double)svg->whole;
	double x = (double)frame->start * scale, width = (double)frame->total * scale;
	unsigned y = HEAD + (svg->depth - frame->depth) * ROW;

	sprof_out_printf(svg->out,
		"<g data-s=\"%" PRIu64 "\" data-t=\"%" PRIu64 "\" data-d=\"%u\">", frame->start,
		frame->total, frame->depth);
	if (!put_tooltip(svg->out, frame))
		return false;
	sprof_out_printf(svg->out,
		"<rect class=\"%s\" fill-opacity=\"%.2f\" x=\"%.2f\" y=\"%u\" width=\"%.2f\" "
		"height=\"%d\"/><text x=\"%.2f\" y=\"%u\">",
		frame->colour, frame->opacity, x, y, width, ROW - 1, x + 3, y + ROW - 5);
	if (!put_label(svg->out, frame->name, width))
		return false;
	sprof_out_puts(svg->out, "</text></g>\n");
	return true;
}

void sprof_svg_end(const struct sprof_svg *svg)
{
	sprof_out_puts(svg->out, "</g>\n<script><![CDATA[\n");
	sprof_out_puts(svg->out, sprof_web_flame_script);
	sprof_out_puts(svg->out, "]]></script>\n</svg>\n");
}
