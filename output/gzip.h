/*
 * Private to output/: compresses output while it is written (RFC 1952).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "output/out.h"

struct sprof_gzip;

/* Until sprof_gzip_finish(), write nothing else to `out`. Returns NULL if out of memory. */
struct sprof_gzip *sprof_gzip_create(struct sprof_out *out);
void sprof_gzip_write(struct sprof_gzip *gzip, const void *bytes, size_t size);
/* Flushes and frees; write errors stay in `out`. NULL is accepted. */
void sprof_gzip_finish(struct sprof_gzip *gzip);
