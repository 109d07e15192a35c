/* The threads that hold the locks of files (flock, fcntl) which others wait for. */
#pragma once

#include "base/attributes.h"
#include "cmd/dump/stacks.h"

/*
 * Sets the holder of each thread that waits for the lock of a file, if the dump shows it. The
 * stacks are sorted. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_dump_file_locks_find(struct sprof_stacks *stacks);
