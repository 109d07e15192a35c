/*
 * The binary search table of .eh_frame_hdr: where the code of an FDE begins, without reading any FDE.
 */
#ifndef SPROF_ELFSYM_FDE_TABLE_H
#define SPROF_ELFSYM_FDE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/image.h"

/* Link-time addresses. */
struct sprof_fde_bounds {
	uint64_t start; /* the last begin of an FDE's code at or before the address */
	uint64_t next;  /* the first one behind it; UINT64_MAX: there is none */
};

/*
 * The start is that of the function, or of a part of it that the compiler has moved away. False: no FDE begins
 * before the address, there is no such table, or it is in an encoding that linkers don't write.
 */
bool sprof_fde_table_find(
	const struct sprof_image *image, uint64_t address, struct sprof_fde_bounds *ret);

#endif
