/*
 * Memory that runs short: one allocation of the program under test fails. What libraries allocate is
 * not counted. To be linked with short_memory_args.
 */
#pragma once

#include <stdbool.h>

/* The allocation with this number fails, counted from 1 and from now on; 0: none does. */
void short_memory_begin(unsigned long number);

/* All succeed again. Whether that one was asked for. */
bool short_memory_end(void);
