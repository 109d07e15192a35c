/*
 * The command lines that a profile is labelled with.
 */
#ifndef SPROF_CMD_COMMAND_LINE_H
#define SPROF_CMD_COMMAND_LINE_H

#include <sys/types.h>

/* The words with blanks between them, to be freed. NULL: no memory. */
char *sprof_command_line_join(char *const words[]);

/* What a running process was started as, or "process 4711", to be freed. NULL: no memory. */
char *sprof_command_line_read(pid_t pid);

/* A word as a shell reads it back. To be freed; NULL: no memory. */
char *sprof_command_line_quote(const char *word);

#endif
