/* Facts about the program that a process runs, from its file. */
#ifndef SPROF_ATTACH_TRACERS_PROGRAM_H
#define SPROF_ATTACH_TRACERS_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether the program has another word size. Also false if its file can't be read. 32-bit code that
 * a 64-bit program jumps to (as in Wine) goes unnoticed.
 */
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

/* Whether the ELF file has the other class (elf(5), EI_CLASS). */
bool sprof_word_size_differs(int fd);

#endif
