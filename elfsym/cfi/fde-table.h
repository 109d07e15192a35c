/*
 * The binary search table of .eh_frame_hdr: finds the start of an FDE's code without reading FDEs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/cfi/fdes.h"
#include "elfsym/elf/image.h"

/* As sprof_fdes_bounds(). Returns false also without a table in the linkers' encoding. */
bool sprof_fde_table_find(
	const struct sprof_image *image, uint64_t address, struct sprof_fde_bounds *ret);
