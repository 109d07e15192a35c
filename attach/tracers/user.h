/*
 * Whether a program may trace other processes. A process can have only one tracer, so sprof
 * detaches threads that strace or gdb traces under sprof (watch.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Whether the 64-bit ELF file imports ptrace(). Does not recognise programs that make the system
 * call directly (static and Go programs).
 */
bool sprof_ptrace_user_file(int fd);

/*
 * Whether the ELF file contains the runtime of LeakSanitizer or AddressSanitizer, or needs its
 * library: the program then checks for leaks at its end, and traces its own threads for that.
 */
bool sprof_leak_checker_file(int fd);
/* Whether the text contains the name of such a library. */
bool sprof_leak_checker_name(const char *text, size_t size);
