/*
 * The binary search table of .eh_frame_hdr: where the code of an FDE begins, without reading any FDE.
 */
#ifndef SPROF_ELFSYM_FDE_TABLE_H
#define SPROF_ELFSYM_FDE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/fdes.h"
#include "elfsym/image.h"

/* The same as sprof_fdes_bounds(). False also: there is no such table, or it is in an encoding that linkers don't write. */
bool sprof_fde_table_find(
	const struct sprof_image *image, uint64_t address, struct sprof_fde_bounds *ret);

#endif
