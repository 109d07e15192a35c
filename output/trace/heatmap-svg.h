/* A heatmap as SVG. */
#ifndef SPROF_OUTPUT_TRACE_HEATMAP_SVG_H
#define SPROF_OUTPUT_TRACE_HEATMAP_SVG_H

#include "base/heat-grid.h"
#include "output/out.h"

/*
 * Time to the right, latency upwards, both with units; darker means more. `title` may be any text.
 */
void sprof_heatmap_svg_write(
	const struct sprof_heat_grid *grid, const char *title, struct sprof_out *out);

#endif
