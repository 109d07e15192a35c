/* Numbers in DWARF expressions. */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns false if `atom` is not a binary operation, or has no result. */
bool sprof_expression_calculate(uint8_t atom, uint64_t a, uint64_t b, uint64_t *ret);

/*
 * Converts a value to an integer type: keeps as many bytes as the type has, with its sign
 * extension. Returns false for other types.
 */
bool sprof_expression_extend(Dwarf_Die *type, uint64_t *value);
