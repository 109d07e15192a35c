/* Private to profile/: reads a file, and decompresses it if necessary. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

/* The caller frees `data`. */
struct sprof_bytes {
	uint8_t *data;
	size_t size, capacity;
};

/* Reads a descriptor to its end. `name` is for messages. Fails beyond one gigabyte. */
SPROF_MUST_USE bool sprof_bytes_read(
	int fd, const char *name, struct sprof_bytes *ret, struct sprof_error *err);

/*
 * Decompresses one gzip file. Fails if the output exceeds one gigabyte or, from 64 megabytes on,
 * 400 times the input: real profiles don't.
 */
SPROF_MUST_USE bool sprof_gunzip(const uint8_t *packed, size_t size, const char *name,
	struct sprof_bytes *ret, struct sprof_error *err);

bool sprof_is_gzip(const uint8_t *bytes, size_t size);
