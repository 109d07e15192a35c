/*
 * The command lines that a profile is labelled with.
 */
#ifndef SPROF_CMD_COMMAND_LINE_H
#define SPROF_CMD_COMMAND_LINE_H

#include <sys/types.h>

#include "base/attributes.h"
#include "profile/profile.h"

/* The words with blanks between them. The caller frees it. NULL: no memory. */
char *sprof_command_line_join(char *const words[]) SPROF_MUST_USE;

/*
 * That of a program to start, or without words (NULL) of a running process, or "process 4711". The
 * caller frees it. NULL: no memory.
 */
char *sprof_command_line_of(char *const words[], pid_t pid) SPROF_MUST_USE;

/* A profile that begins then (CLOCK_MONOTONIC) is of this command. False: no memory. */
bool sprof_command_line_describe(
	struct sprof_profile *profile, const char *command, uint64_t begin_ns) SPROF_MUST_USE;

/* The words, each quoted for a shell, behind "-- ". The caller frees it. NULL: no memory. */
char *sprof_command_line_again(char *const words[]) SPROF_MUST_USE;

/* The word, quoted for a shell. The caller frees it. NULL: no memory. */
char *sprof_command_line_quote(const char *word) SPROF_MUST_USE;

#endif
