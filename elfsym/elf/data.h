/*
 * Names of data: the variable at a link-time address.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/elf/image.h"

struct sprof_variable {
	const char *name; /* in the image; not NUL-terminated, without version */
	size_t name_length;
	uint64_t address, size; /* link-time */
};

/*
 * The smallest variable at the address, from .symtab and .dynsym. Returns false if there is none.
 * Examines every symbol, so use it only for the few addresses of locks.
 */
bool sprof_data_find(const struct sprof_image *image, uint64_t address, struct sprof_variable *ret);

/*
 * The link-time address at a distance from the mapped file's first byte. Returns false if the image
 * has no segments.
 */
bool sprof_data_address(const struct sprof_image *image, uint64_t distance, uint64_t *ret_address);
