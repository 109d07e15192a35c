/*
 * Strings of DIEs.
 */
#ifndef SPROF_ELFSYM_DIE_STRING_H
#define SPROF_ELFSYM_DIE_STRING_H

#include <elfutils/libdw.h>

/* The attribute's string; NULL: it is none, or has no end. NULL is accepted. */
const char *sprof_die_string(Dwarf_Attribute *attribute);

#endif
