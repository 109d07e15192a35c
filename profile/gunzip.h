/*
 * Private to profile/: a file's bytes, unpacked if they are packed.
 */
#ifndef SPROF_PROFILE_GUNZIP_H
#define SPROF_PROFILE_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"

/* The owner frees the bytes. */
struct sprof_bytes {
	uint8_t *data;
	size_t size, capacity;
};

/* Reads a descriptor to its end. `name` is for errors. Refuses more than a gigabyte. */
SPROF_MUST_USE bool sprof_bytes_read(
	int fd, const char *name, struct sprof_bytes *ret, struct sprof_error *err);

/*
 * Unpacks one gzip file. Refuses output of more than a gigabyte, and, from 64 megabytes on, of more
 * than 400 times its size: no profile is like that.
 */
SPROF_MUST_USE bool sprof_gunzip(const uint8_t *packed, size_t size, const char *name,
	struct sprof_bytes *ret, struct sprof_error *err);

bool sprof_is_gzip(const uint8_t *bytes, size_t size);

#endif
