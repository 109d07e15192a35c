/*
 * Strings of DIEs.
 */
#pragma once

#include <elfutils/libdw.h>

/* The attribute's string. NULL: not a string, or not terminated. Accepts NULL. */
const char *sprof_die_string(Dwarf_Attribute *attribute);
