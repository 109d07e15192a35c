/* The values that a function was called with. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/locals/dwarf-frame.h"

/* For sprof_dwarf_frame.find_entry_value. */
bool sprof_entry_value_find(const struct sprof_dwarf_frame *frame, uint64_t number, uint64_t *ret);
