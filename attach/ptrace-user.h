/*
 * Whether a program traces others itself. A process has one tracer, so sprof detaches threads that
 * strace or gdb traces under sprof (ptrace-watch.h).
 */
#ifndef SPROF_ATTACH_PTRACE_USER_H
#define SPROF_ATTACH_PTRACE_USER_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the 64-bit ELF file imports ptrace(). Does not recognize a program that makes the system
 * call itself (static and Go programs).
 */
bool sprof_ptrace_user_file(int fd);

/*
 * Whether the ELF file has LeakSanitizer's runtime, AddressSanitizer's, or needs its library: the
 * program then looks for leaks at its end, and traces its own threads for that.
 */
bool sprof_leak_checker_file(int fd);
/* Whether such a library is named in a text. */
bool sprof_leak_checker_name(const char *text, size_t size);

#endif
