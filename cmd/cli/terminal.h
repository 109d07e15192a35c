/* The terminal on stdout. */
#pragma once

#include <stddef.h>

/* Its width in columns; 0: unknown, or stdout is not a terminal. */
size_t sprof_terminal_width(void);
