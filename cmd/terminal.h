/*
 * The terminal that stdout is.
 */
#ifndef SPROF_CMD_TERMINAL_H
#define SPROF_CMD_TERMINAL_H

#include <stddef.h>

/* Its width in columns; 0: stdout is no terminal, or nobody knows. */
size_t sprof_terminal_width(void);

#endif
