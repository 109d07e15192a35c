/*
 * Names of data: the variable at a link-time address.
 */
#ifndef SPROF_ELFSYM_DATA_H
#define SPROF_ELFSYM_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/image.h"

struct sprof_variable {
	const char *name; /* in the image; ends after name_length bytes: without version */
	size_t name_length;
	uint64_t address, size; /* link-time */
};

/*
 * The smallest variable at the address, from the image's .symtab and .dynsym. False: none. Looks at
 * every symbol, so it suits only the few addresses that locks have.
 */
bool sprof_data_find(const struct sprof_image *image, uint64_t address, struct sprof_variable *ret);

/*
 * The link-time address at a distance from where the file's first byte is mapped. False: the image
 * has no segments.
 */
bool sprof_data_address(const struct sprof_image *image, uint64_t distance, uint64_t *ret_address);

#endif
