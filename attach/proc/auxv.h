/* The auxiliary vector of a process (getauxval(3)). */
#pragma once

#include <stdint.h>
#include <sys/types.h>

/* The value of a type, AT_* of <elf.h>; 0: not present, or the process is gone. */
uint64_t sprof_auxv_find(pid_t pid, uint64_t type);
