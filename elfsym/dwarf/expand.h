/* Compressed debug sections: decompresses those needed into an ELF file in memory. */
#pragma once

#include "elfsym/elf/image.h"

/*
 * Only with variables, the lists of their locations too. NULL: nothing is compressed, or
 * decompression failed; libdw can then use the image itself.
 */
struct sprof_image *sprof_expand(const struct sprof_image *debug, bool with_variables);
