/* Decompresses sections in zstd format. */
#ifndef SPROF_ELFSYM_UNZSTD_H
#define SPROF_ELFSYM_UNZSTD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns false unless the output is exactly `ret_size` bytes; always false in a build without
 * libzstd.
 */
bool sprof_unzstd(const uint8_t *bytes, size_t size, uint8_t *ret, size_t ret_size);

#endif
