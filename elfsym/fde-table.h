/*
 * The binary search table of .eh_frame_hdr: where the code of an FDE begins, without reading any FDE.
 */
#ifndef SPROF_ELFSYM_FDE_TABLE_H
#define SPROF_ELFSYM_FDE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/image.h"

/*
 * The last begin of an FDE's code at or before the address; link-time addresses. That is the start of
 * the function, or of a part of it that the compiler has moved away. False: there is no such table, or
 * one in an encoding that linkers don't write.
 */
bool sprof_fde_table_start(const struct sprof_image *image, uint64_t address, uint64_t *ret);

#endif
