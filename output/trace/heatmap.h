/* Files with time and latency of every pair of events, and pictures of them. */
#ifndef SPROF_OUTPUT_TRACE_HEATMAP_H
#define SPROF_OUTPUT_TRACE_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/heat-grid.h"
#include "events/pairs/pairs.h"
#include "output/out.h"

struct sprof_heatmap_file {
	const struct sprof_event_item *item1, *item2;
	struct sprof_out *out; /* NULL: could not be opened, or is closed */
	bool is_drawn;         /* was opened */
	char *picture;         /* path of the picture */
	struct sprof_heat_grid *grid;
};

/* Set `name`; the rest zeroed is empty and valid. */
struct sprof_heatmap {
	const char *name; /* prefix of the file names; NULL: write none */
	struct sprof_heatmap_file *files;
	size_t count, capacity;
	struct sprof_error error; /* the first error */
};

/*
 * Appends a line to the pair's file FILE.lat, which appears when closed. An existing file is
 * renamed to FILE.lat.old.
 */
void sprof_heatmap_write(
	struct sprof_heatmap *heatmap, const struct sprof_trace_instance *instance);
/*
 * Draws each pair's FILE.svg, and NAME.html with all of them. Returns false if a file could not be
 * written.
 */
SPROF_MUST_USE bool sprof_heatmap_close(struct sprof_heatmap *heatmap, struct sprof_error *err);

#endif
