/*
 * System calls that a stopped thread makes for sprof.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/thread.h"
#include "base/attributes.h"

/*
 * The thread is in a ptrace-stop and not at a system call. It makes this call, which must not
 * block, and is then stopped at its old place. Its signals wait meanwhile. *ret is the result.
 * Returns false if a seccomp filter is active, the call fails, or the thread is gone.
 */
SPROF_MUST_USE bool sprof_thread_make_call(
	struct sprof_thread *thread, int64_t number, const uint64_t arguments[6], uint64_t *ret);
