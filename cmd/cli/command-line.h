/* Command lines as labels of profiles. */
#pragma once

#include <sys/types.h>

#include "base/attributes.h"
#include "profile/model/profile.h"

/* Joins the words with blanks. The caller frees the result. Returns NULL if out of memory. */
char *sprof_command_line_join(char *const words[]) SPROF_MUST_USE;

/*
 * The command line of a program to start or, if `words` is NULL, of a running process; else
 * "process 4711". The caller frees it. Returns NULL if out of memory.
 */
char *sprof_command_line_of(char *const words[], pid_t pid) SPROF_MUST_USE;

/* Sets command and start time (CLOCK_MONOTONIC) of a profile. Returns false if out of memory. */
bool sprof_command_line_describe(
	struct sprof_profile *profile, const char *command, uint64_t begin_ns) SPROF_MUST_USE;

/*
 * The words, each quoted for a shell, after "-- ". The caller frees it. Returns NULL if out of
 * memory.
 */
char *sprof_command_line_again(char *const words[]) SPROF_MUST_USE;

/* A word, quoted for a shell. The caller frees it. Returns NULL if out of memory. */
char *sprof_command_line_quote(const char *word) SPROF_MUST_USE;
