/*
 * Private to output/: writes a flame graph as an SVG file, frame by frame, with a script for zoom
 * and search. The caller chooses each frame's meaning and colour.
 */
#ifndef SPROF_OUTPUT_FORMATS_SVG_H
#define SPROF_OUTPUT_FORMATS_SVG_H

#include <stdbool.h>
#include <stdint.h>

#include "output/out.h"

struct sprof_svg {
	struct sprof_out *out;
	const char *title;    /* from the target: sanitised and escaped here */
	const char *subtitle; /* untrusted: another tool's file names its weight */
	uint64_t whole;       /* the root's width; not 0 */
	uint32_t depth;       /* of the deepest frame; the root has 0 */
};

struct sprof_svg_frame {
	const char *name;      /* from the target */
	const char *place;     /* its module, also from the target; NULL: unknown */
	const char *figures;   /* trusted text, below the name in the tooltip */
	const char *colour;    /* a class of web/flame.css */
	double opacity;        /* of the colour */
	uint64_t start, total; /* in the unit of `whole` */
	uint32_t depth;
};

/* Writes the head; frames follow in any order, then the end. Returns false if out of memory. */
bool sprof_svg_begin(const struct sprof_svg *svg);
bool sprof_svg_put_frame(const struct sprof_svg *svg, const struct sprof_svg_frame *frame);
void sprof_svg_end(const struct sprof_svg *svg);

#endif
