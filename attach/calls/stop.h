/* The state of a system call at its stop, and how to resume the thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/stop.h"
#include "attach/thread.h"
#include "base/attributes.h"

/* At a SPROF_EVENT_CALL. */
struct sprof_call_state {
	enum sprof_call_stop stop;
	uint32_t arch; /* AUDIT_ARCH_* of the call */
	uint64_t sp, pc;
	/* At an ENTRY or SECCOMP: the number of the call. */
	int64_t number;
	uint64_t arguments[6];
	uint32_t filter_value; /* SECCOMP: SECCOMP_RET_DATA of the filter */
	/* At an EXIT: the result. */
	int64_t result;
	bool is_error; /* the result is a negative errno, possibly one internal to the kernel */
};

/* Returns false if the thread is gone. */
SPROF_MUST_USE bool sprof_thread_read_call(
	const struct sprof_thread *thread, struct sprof_call_state *ret);

/* At an EXIT: the number of the call; -1: unknown. */
int64_t sprof_thread_left_call(const struct sprof_thread *thread);

/* Resumes from a SPROF_EVENT_CALL. A thread with a pending stop request stops again at once. */
void sprof_thread_resume_call(struct sprof_thread *thread, enum sprof_resumption how);
