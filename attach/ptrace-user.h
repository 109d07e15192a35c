/*
 * Whether a program traces others itself. A process has one tracer: what strace or gdb traces under
 * sprof is theirs, and sprof lets go of it (ptrace-watch.h).
 */
#ifndef SPROF_ATTACH_PTRACE_USER_H
#define SPROF_ATTACH_PTRACE_USER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Whether the ELF file of 64 bits imports ptrace(). One that makes the system call by itself
 * (static programs, those of Go) is not recognized.
 */
bool sprof_ptrace_user_file(int fd);

/* The same for the program that a process runs. False also when that can't be read. */
bool sprof_ptrace_user_process(pid_t pid);

#endif
