/*
 * Private to output/: packing on the way out (RFC 1952).
 */
#ifndef SPROF_OUTPUT_GZIP_H
#define SPROF_OUTPUT_GZIP_H

#include <stdbool.h>
#include <stddef.h>

#include "output/out.h"

struct sprof_gzip;

/* NULL: no memory. Nothing reaches `out` from elsewhere until sprof_gzip_finish(). */
struct sprof_gzip *sprof_gzip_create(struct sprof_out *out);
void sprof_gzip_write(struct sprof_gzip *gzip, const void *bytes, size_t size);
/* Writes what is left and frees it; errors are out's own. NULL is accepted. */
void sprof_gzip_finish(struct sprof_gzip *gzip);

#endif
