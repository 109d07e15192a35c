/*
 * All system calls of a target, and the event source that gets them from the ptrace stops at entry
 * and exit.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/thread.h"
#include "base/attributes.h"
#include "events/source.h"

enum sprof_call_ending {
	SPROF_CALL_RETURNED,
	/* the thread ended in the call: exit(2), a kill, or another thread's execve(2) */
	SPROF_CALL_CUT,
	SPROF_CALL_UNDER_WAY, /* began before tracing: only a part was seen */
	SPROF_CALL_OPEN,      /* still open when tracing ended */
};

struct sprof_call {
	uint32_t thread; /* the target's thread id */
	pid_t pid, tid;
	int cpu;        /* of the thread at this report; -1: unknown */
	uint32_t arch;  /* AUDIT_ARCH_*, because numbers differ; 0: unknown, assume native */
	int64_t number; /* -1: unknown */
	uint64_t arguments[6];
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; UNDER_WAY: begin_ns is when tracing began */
	int64_t result;            /* for RETURNED and UNDER_WAY: the result register */
	bool is_error;             /* the result is a negative errno */
	bool was_before;           /* for OPEN and CUT: began before tracing */
	enum sprof_call_ending ending;
	uint32_t stack; /* the sink's id of the caller's stack; 0: not wanted, or not available */
};

/* Whether it is a call of this machine's own architecture. */
bool sprof_call_is_native(const struct sprof_call *call);

/* Whether a result is a negative errno (include/linux/err.h, MAX_ERRNO). */
bool sprof_call_result_is_error(int64_t result);

struct sprof_calls_listener {
	void *data;
	/* Returns false if out of memory. */
	bool (*call)(void *data, const struct sprof_call *call);
	/* A call begins; end_ns and result are 0. NULL: not wanted. */
	bool (*begin)(void *data, const struct sprof_call *call);
	/*
	 * Whether to take the stack of a call that has lasted until its end_ns. Called while the
	 * thread is stopped, and more than once per call. NULL: no stacks.
	 */
	bool (*wants_stack)(void *data, const struct sprof_call *call);
};

struct sprof_calls_options {
	/* a seccomp filter selects the calls (SPROF_CALLS_SELECTED) */
	bool is_selected;
	uint32_t filter_value;
	/*
	 * with wants_stack(): blocked calls longer than this are offered to it; UINT64_MAX: never
	 */
	uint64_t slow_ns;
};

/* Calls that were missed. */
struct sprof_calls_gaps {
	/* threads of an attached process that have not run yet: their calls are not traced */
	uint32_t threads_asleep;
	/* how often threads have run, and slept again, before they were traced */
	uint64_t runs_unseen;
	/* calls that were open when tracing began, and ended before their thread's first stop */
	uint64_t ended_unseen;
};

struct sprof_calls; /* the state of all threads */

/* Returns NULL if out of memory. */
struct sprof_calls *sprof_calls_create(
	const struct sprof_calls_options *options, const struct sprof_calls_listener *listener);
/* NULL is accepted. */
void sprof_calls_destroy(struct sprof_calls *calls);

/* The source; valid as long as `calls`. */
struct sprof_event_source sprof_calls_source(struct sprof_calls *calls);

struct sprof_calls_gaps sprof_calls_gaps(const struct sprof_calls *calls);
