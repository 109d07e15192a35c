/* The terminal on stdout. */
#ifndef SPROF_CMD_CLI_TERMINAL_H
#define SPROF_CMD_CLI_TERMINAL_H

#include <stddef.h>

/* Its width in columns; 0: unknown, or stdout is not a terminal. */
size_t sprof_terminal_width(void);

#endif
