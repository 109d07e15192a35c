/* How to make a process describe its JIT-compiled code. */
#ifndef SPROF_ELFSYM_NAMES_JIT_HINT_H
#define SPROF_ELFSYM_NAMES_JIT_HINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/module.h"

/* The remedy for unnamed code in a process's anonymous memory. */
void sprof_jit_hint_write(
	const struct sprof_modules *modules, uint64_t pid, char *buffer, size_t size);

#endif
