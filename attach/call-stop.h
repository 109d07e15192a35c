/*
 * What the kernel says at a stop of a system call, and how a thread continues from it.
 */
#ifndef SPROF_ATTACH_CALL_STOP_H
#define SPROF_ATTACH_CALL_STOP_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/stop.h"
#include "attach/thread.h"
#include "base/attributes.h"

/* At a SPROF_EVENT_CALL. */
struct sprof_call_state {
	enum sprof_call_stop stop;
	uint32_t arch; /* AUDIT_ARCH_*, of the call */
	uint64_t sp, pc;
	/* Of the call that begins: at an ENTRY or SECCOMP. */
	int64_t number;
	uint64_t arguments[6];
	uint32_t filter_value; /* SECCOMP: of the filter that asks for a tracer */
	/* Of the call that ends: at an EXIT. */
	int64_t result;
	bool is_error; /* the result is a negative errno, perhaps one of the kernel's own */
};

/* False: the thread is gone. */
SPROF_MUST_USE bool sprof_thread_read_call(
	const struct sprof_thread *thread, struct sprof_call_state *ret);

/* At an EXIT: the number of the call that ends there. -1: not known. */
int64_t sprof_thread_left_call(const struct sprof_thread *thread);

/* Continues from a SPROF_EVENT_CALL. A thread that was asked to stop stops again at once. */
void sprof_thread_resume_call(struct sprof_thread *thread, enum sprof_resumption how);

#endif
