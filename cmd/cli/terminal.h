/* The terminal on stdout. */
#ifndef SPROF_CMD_CLI_TERMINAL_H
#define SPROF_CMD_CLI_TERMINAL_H

#include <stddef.h>

/* Its width in columns; 0: unknown, or stdout is no terminal. */
size_t sprof_terminal_width(void);

#endif
