/*
 * The binary search table of .eh_frame_hdr: finds where an FDE's code begins, without reading FDEs.
 */
#ifndef SPROF_ELFSYM_FDE_TABLE_H
#define SPROF_ELFSYM_FDE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/fdes.h"
#include "elfsym/image.h"

/* Like sprof_fdes_bounds(). Also false without a table in the encoding that linkers write. */
bool sprof_fde_table_find(
	const struct sprof_image *image, uint64_t address, struct sprof_fde_bounds *ret);

#endif
