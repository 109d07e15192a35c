/*
 * Files with the time and the latency of every pair of events, and pictures of them.
 */
#ifndef SPROF_CMD_HEATMAP_H
#define SPROF_CMD_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/heat-grid.h"
#include "events/pairs.h"
#include "output/out.h"

struct sprof_heatmap_file {
	const struct sprof_event_item *item1, *item2;
	struct sprof_out *out; /* NULL: it could not be opened, or is closed */
	bool is_drawn;         /* it could be opened */
	char *picture;         /* the picture's path */
	struct sprof_heat_grid *grid;
};

/* Zeroed with its name is empty and valid. */
struct sprof_heatmap {
	const char *name; /* the beginning of the files' names; NULL: none are written */
	struct sprof_heatmap_file *files;
	size_t count, capacity;
	struct sprof_error error; /* the first one */
};

/*
 * Adds a line to the pair's file FILE.lat, which appears when all is closed. A file that was there
 * before becomes FILE.lat.old.
 */
void sprof_heatmap_write(
	struct sprof_heatmap *heatmap, const struct sprof_trace_instance *instance);
/* Draws each pair's FILE.svg, and NAME.html with all of them. False: something could not be written. */
SPROF_MUST_USE bool sprof_heatmap_close(struct sprof_heatmap *heatmap, struct sprof_error *err);

#endif
