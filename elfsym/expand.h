/*
 * Compressed debug sections: an ELF file in memory with those that names come from, inflated.
 */
#ifndef SPROF_ELFSYM_EXPAND_H
#define SPROF_ELFSYM_EXPAND_H

#include "elfsym/image.h"

/*
 * NULL: there is nothing to be gained, because nothing is compressed, or it can't be done; then the
 * image itself is as good as libdw can make it.
 */
struct sprof_image *sprof_expand(const struct sprof_image *debug);

#endif
