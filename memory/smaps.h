/*
 * The text of /proc/PID/smaps and smaps_rollup (proc(5)): mappings with what of them is in memory.
 */
#ifndef SPROF_MEMORY_SMAPS_H
#define SPROF_MEMORY_SMAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/maps-line.h"

/* All in bytes. */
struct sprof_smaps_figures {
	uint64_t rss;  /* in memory */
	uint64_t pss;  /* the same, each page divided by the processes that have it */
	uint64_t uss;  /* the same, of pages that no other process has */
	uint64_t swap; /* not in memory but in swap space */
};

struct sprof_smaps_area {
	struct sprof_maps_line line; /* its path is a view into the text */
	struct sprof_smaps_figures figures;
};

/* Parses the next mapping and moves the cursor past it. False: the end, or no smaps. */
SPROF_MUST_USE bool sprof_smaps_next(const char **cursor, struct sprof_smaps_area *ret);

void sprof_smaps_add(struct sprof_smaps_figures *sum, const struct sprof_smaps_figures *added);

#endif
