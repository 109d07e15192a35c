/* Parses /proc/PID/smaps and smaps_rollup (proc(5)): mappings with their resident memory. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/maps-text.h"

/* All in bytes. */
struct sprof_smaps_figures {
	uint64_t rss;  /* resident */
	uint64_t pss;  /* resident, each page divided by the number of processes that share it */
	uint64_t uss;  /* resident, pages of this process only */
	uint64_t swap; /* swapped out */
};

struct sprof_smaps_area {
	struct sprof_maps_line line; /* its path points into the text */
	struct sprof_smaps_figures figures;
};

/*
 * Parses the next mapping and moves the cursor past it. Returns false at the end, or if it is no
 * smaps.
 */
SPROF_MUST_USE bool sprof_smaps_next(const char **cursor, struct sprof_smaps_area *ret);

void sprof_smaps_add(struct sprof_smaps_figures *sum, const struct sprof_smaps_figures *added);
