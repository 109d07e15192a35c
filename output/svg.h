/*
 * Private to output/: a flame graph as one SVG file, frame by frame, with the script that zooms and
 * searches. Does not choose a frame's meaning or colour; its writer does.
 */
#ifndef SPROF_OUTPUT_SVG_H
#define SPROF_OUTPUT_SVG_H

#include <stdbool.h>
#include <stdint.h>

#include "output/out.h"

struct sprof_svg {
	struct sprof_out *out;
	const char *title;    /* from the target: cleaned and escaped here */
	const char *subtitle; /* from the target: another tool's file names its own weight */
	uint64_t whole;       /* the width of the root; not 0 */
	uint32_t depth;       /* depth of the deepest frame; the root's is 0 */
};

struct sprof_svg_frame {
	const char *name;      /* from the target */
	const char *place;     /* its module, also from the target; NULL: unknown */
	const char *figures;   /* our own words, in the tooltip below the name */
	const char *colour;    /* a class of web/flame.css */
	double opacity;        /* of the colour */
	uint64_t start, total; /* in the unit of `whole` */
	uint32_t depth;
};

/* Writes the file's head; then come its frames in any order, then its end. False: no memory. */
bool sprof_svg_begin(const struct sprof_svg *svg);
bool sprof_svg_put_frame(const struct sprof_svg *svg, const struct sprof_svg_frame *frame);
void sprof_svg_end(const struct sprof_svg *svg);

#endif
