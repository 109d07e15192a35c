/* Files with every time that was measured, and when; and pictures of them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "base/heat-grid.h"
#include "output/out.h"

/* A time that was measured. */
struct sprof_heatmap_point {
	uint64_t id; /* those with the same one share a file and a picture */
	/*
	 * names of the two events between which it lies; `end` NULL: of what lasted so long; not
	 * used where the id is known
	 */
	const char *begin, *end;
	uint64_t time_ns; /* when it was over */
	uint64_t latency_ns;
};

struct sprof_heatmap_file {
	uint64_t id;
	struct sprof_out *out; /* NULL: could not be opened, or is closed */
	bool is_drawn;         /* was opened */
	char *title;
	char *picture; /* path of the picture */
	struct sprof_heat_grid *grid;
};

/* Set `name`; the rest zeroed is empty and valid. */
struct sprof_heatmap {
	const char *name; /* prefix of the file names; NULL: write none */
	struct sprof_heatmap_file *files;
	size_t count, capacity;
	struct sprof_error error; /* the first error */
};

/* Whether there was a point with this id. */
bool sprof_heatmap_has(const struct sprof_heatmap *heatmap, uint64_t id);

/*
 * Appends a line with time and latency in ns to NAME-BEGIN-END.lat, or NAME-BEGIN.lat, which
 * appears when closed. An existing file is renamed to end with .old.
 */
void sprof_heatmap_write(struct sprof_heatmap *heatmap, const struct sprof_heatmap_point *point);
/*
 * Draws for each such file one that ends with .svg, and NAME.html with all of them. Returns false
 * if a file could not be written.
 */
SPROF_MUST_USE bool sprof_heatmap_close(struct sprof_heatmap *heatmap, struct sprof_error *err);
