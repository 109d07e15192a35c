/*
 * .gnu_debugdata: a small ELF file inside of a file, compressed with LZMA, that holds the function
 * symbols which .dynsym lacks. Fedora's packages have it.
 */
#ifndef SPROF_ELFSYM_MINIDEBUG_H
#define SPROF_ELFSYM_MINIDEBUG_H

#include <stdbool.h>

#include "elfsym/image.h"

/* The inner file. NULL: there is none, or it is broken, or this build can't read it. */
struct sprof_image *sprof_minidebug_open(const struct sprof_image *image);

/* Whether this build reads them. */
bool sprof_minidebug_supported(void);

#endif
