/* Facts about the program that a process runs, from its file. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

/* Whether the program has another word size (word-size.h). Also false if its file can't be read. */
bool sprof_program_has_other_word_size(pid_t pid);

/*
 * Whether the program may trace others (attach/tracers/user.h). Also false if its file can't be
 * read.
 */
bool sprof_program_may_trace(pid_t pid);

/*
 * Whether the program checks for leaks at its end (attach/tracers/user.h). `is_running`: its
 * libraries are mapped; otherwise its file and environment show which it will load.
 */
bool sprof_program_checks_leaks(pid_t pid, bool is_running);
/* The same for a program about to be started. Does not search PATH. */
bool sprof_program_will_check_leaks(const char *path);
