/*
 * The names of system calls, for people.
 */
#ifndef SPROF_CMD_SYSCALL_NAME_H
#define SPROF_CMD_SYSCALL_NAME_H

#include <stddef.h>
#include <stdint.h>

/* "futex", or "system call 202" where the name is not known. */
void sprof_syscall_name(int64_t number, char *buffer, size_t size);

#endif
