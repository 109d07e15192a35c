/*
 * Whether a program traces others itself. A process has one tracer, so sprof detaches threads that
 * strace or gdb traces under sprof (ptrace-watch.h).
 */
#ifndef SPROF_ATTACH_PTRACE_USER_H
#define SPROF_ATTACH_PTRACE_USER_H

#include <stdbool.h>

/*
 * Whether the 64-bit ELF file imports ptrace(). Does not recognize a program that makes the system
 * call itself (static and Go programs).
 */
bool sprof_ptrace_user_file(int fd);

#endif
