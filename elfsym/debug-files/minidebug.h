/*
 * .gnu_debugdata: a small LZMA-compressed ELF file inside a file, with the function symbols that
 * .dynsym lacks, as in Fedora's packages.
 */
#pragma once

#include "elfsym/elf/image.h"

/* The inner file. NULL: none, or broken. */
struct sprof_image *sprof_minidebug_open(const struct sprof_image *image);
