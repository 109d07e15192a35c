/*
 * Private to profile/: a file's bytes, unpacked where they are packed.
 */
#ifndef SPROF_PROFILE_GUNZIP_H
#define SPROF_PROFILE_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* To be freed by its owner. */
struct sprof_bytes {
	uint8_t *data;
	size_t size, capacity;
};

/* Reads a descriptor to its end; `name` is what errors call it. Refuses more than a gigabyte. */
bool sprof_bytes_read(int fd, const char *name, struct sprof_bytes *ret, struct sprof_error *err);

/*
 * Unpacks one gzip file. Refuses what unpacks to more than a gigabyte, and from 64 megabytes on
 * what unpacks to more than 400 times its size, which no profile does.
 */
bool sprof_gunzip(const uint8_t *packed, size_t size, const char *name, struct sprof_bytes *ret,
	struct sprof_error *err);

bool sprof_is_gzip(const uint8_t *bytes, size_t size);

#endif
