/*
 * Strings of DIEs.
 */
#ifndef SPROF_ELFSYM_DWARF_DIE_STRING_H
#define SPROF_ELFSYM_DWARF_DIE_STRING_H

#include <elfutils/libdw.h>

/* The attribute's string. NULL: not a string, or not terminated. Accepts NULL. */
const char *sprof_die_string(Dwarf_Attribute *attribute);

#endif
