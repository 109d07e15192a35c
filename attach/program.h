/*
 * Facts from the file of the program that a process runs.
 */
#ifndef SPROF_ATTACH_PROGRAM_H
#define SPROF_ATTACH_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether the program has another word size (word-size.h). Also false if its file can't be read. */
bool sprof_program_has_other_word_size(pid_t pid);

/* Whether the program may trace others itself (ptrace-user.h). Also false if its file can't be
 * read. */
bool sprof_program_may_trace(pid_t pid);

#endif
