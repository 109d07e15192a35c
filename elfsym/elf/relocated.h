/*
 * Loaded data as linked. The dynamic linker adds the load bias to addresses in it; the file may
 * contain zeros there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elfsym/elf/image.h"

/* Copies the data at a link-time address, with link-time addresses in it. Returns false if the file
 * does not contain all of it. */
bool sprof_relocated_read(
	const struct sprof_image *image, uint64_t address, void *bytes, size_t size);

/*
 * Calls the function with the link-time address of each word of loaded data that holds `value`,
 * until it returns true. Returns false if it never did.
 */
bool sprof_relocated_find(const struct sprof_image *image, uint64_t value,
	bool (*visit)(void *data, uint64_t address), void *data);
