/* The holders of Python's locks, in live processes. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/module.h"
#include "cmd/dump/stacks.h"

struct sprof_interp;

/*
 * Sets the holder of each thread that waits for a Python lock, if a thread's frames show that it
 * has the lock. The stacks are sorted, the kinds of locks known. `interp` NULL: does nothing.
 * Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_python_locks_find(
	struct sprof_stacks *stacks, struct sprof_interp *interp, struct sprof_modules *modules);
