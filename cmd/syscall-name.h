/*
 * The names of system calls, for people.
 */
#ifndef SPROF_CMD_SYSCALL_NAME_H
#define SPROF_CMD_SYSCALL_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* "futex", or "system call 202" where the name is not known. */
void sprof_syscall_name(int64_t number, char *buffer, size_t size);
/* The same for a call of another architecture: AUDIT_ARCH_*; 0: this machine's. */
void sprof_syscall_name_on(uint32_t arch, int64_t number, char *buffer, size_t size);

/* The number of this machine's call of that name. False: there is none. */
SPROF_MUST_USE bool sprof_syscall_find(const char *name, int64_t *ret_number);

#endif
