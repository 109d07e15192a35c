/*
 * How a process can be made to describe the code that it has compiled itself.
 */
#ifndef SPROF_ELFSYM_JIT_HINT_H
#define SPROF_ELFSYM_JIT_HINT_H

#include <stddef.h>
#include <stdint.h>

#include "base/module.h"

/* The remedy for nameless code in the anonymous memory of a process. */
void sprof_jit_hint_write(
	const struct sprof_modules *modules, uint64_t pid, char *buffer, size_t size);

#endif
