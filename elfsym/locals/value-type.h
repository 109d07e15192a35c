/* Types of variables' values. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The type of a DIE, without typedefs and qualifiers. Returns false if there is none, as for void.
 */
bool sprof_value_type(Dwarf_Die *die, Dwarf_Die *ret);
/* Removes typedefs and qualifiers from a type. Returns false if nothing is left. */
bool sprof_value_peel(Dwarf_Die *type);
/* Whether the type is only declared: its definition is elsewhere, and was not found. */
bool sprof_value_is_declared(Dwarf_Die *type);

/* DW_ATE_...; 0: the type has none. */
Dwarf_Word sprof_value_encoding(Dwarf_Die *type);
/* A number that an attribute has; 0: none. */
uint64_t sprof_value_attribute(Dwarf_Die *die, unsigned name);
/* The name; NULL: none. */
const char *sprof_value_name(Dwarf_Die *die);
