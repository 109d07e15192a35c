/* Unused space in code: the zeros with which a linker fills the last page of a segment. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { SPROF_PADDING_PAGE = 4096, SPROF_PADDING_ALIGNMENT = 32 };

/* The offset of the padding at the end of the last page; SPROF_PADDING_PAGE: none. */
size_t sprof_padding_find(const uint8_t page[SPROF_PADDING_PAGE]);
