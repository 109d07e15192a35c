/*
 * Loaded data as it was linked: addresses in it that the dynamic linker adds the load bias to, and that
 * the file itself may hold as zeros.
 */
#ifndef SPROF_ELFSYM_RELOCATED_H
#define SPROF_ELFSYM_RELOCATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/image.h"

/* Copies what is at a link-time address, with link-time addresses in it. False: the file hasn't all of it. */
bool sprof_relocated_read(
	const struct sprof_image *image, uint64_t address, void *bytes, size_t size);

/*
 * Calls the function with the link-time address of each word of loaded data that holds the value, which is a
 * link-time address, until it returns true. False: it never did.
 */
bool sprof_relocated_find(const struct sprof_image *image, uint64_t value,
	bool (*visit)(void *data, uint64_t address), void *data);

#endif
