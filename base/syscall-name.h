/* Names of system calls. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"

/* "futex", or "system call 202" if unknown. */
void sprof_syscall_name(int64_t number, char *buffer, size_t size);
/* The same for a call of another architecture: AUDIT_ARCH_*; 0: native. */
void sprof_syscall_name_on(uint32_t arch, int64_t number, char *buffer, size_t size);

/* The native number of the call. Returns false if unknown. */
SPROF_MUST_USE bool sprof_syscall_find(const char *name, int64_t *ret_number);
