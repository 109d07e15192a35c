/*
 * The separate debug file of a stripped module.
 */
#ifndef SPROF_ELFSYM_DEBUGFILE_H
#define SPROF_ELFSYM_DEBUGFILE_H

#include "elfsym/image.h"

/* What distributions use; below it are .build-id/ab/cdef.debug. */
#define SPROF_DEBUG_ROOT "/usr/lib/debug"

/* The debug file below root with the same build id as the image. NULL: there is none. */
struct sprof_image *sprof_debugfile_open(const struct sprof_image *image, const char *root);

#endif
