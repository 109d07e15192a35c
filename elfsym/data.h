/*
 * The names of data: which variable a link-time address lies in.
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
 * The smallest variable that holds the address, from the .symtab and .dynsym of the image. False:
 * none does. Takes a look at every symbol: for the few addresses that locks have.
 */
bool sprof_data_find(const struct sprof_image *image, uint64_t address, struct sprof_variable *ret);

/*
 * The link-time address of what lies so far behind the place where the file's first byte is mapped.
 * False: the image has no segments.
 */
bool sprof_data_address(const struct sprof_image *image, uint64_t distance, uint64_t *ret_address);

#endif
