/*
 * Every system call of a target, one by one; and the source that learns of them from the stops at
 * their entry and exit.
 */
#ifndef SPROF_EVENTS_CALLS_H
#define SPROF_EVENTS_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/thread.h"
#include "base/attributes.h"
#include "events/source.h"

enum sprof_call_ending {
	SPROF_CALL_RETURNED,
	SPROF_CALL_CUT, /* its thread ended in it: exit(2), or killed, or another's execve(2) */
	SPROF_CALL_UNDER_WAY, /* it had begun before tracing did: only a part of it was seen */
	SPROF_CALL_OPEN,      /* it goes on when tracing ends */
};

struct sprof_call {
	uint32_t thread; /* its id in the target */
	pid_t pid, tid;
	int cpu;        /* of the thread when this was told; -1: not known */
	uint32_t arch;  /* AUDIT_ARCH_*: numbers differ; 0: not known, this machine's */
	int64_t number; /* -1: not known */
	uint64_t arguments[6];
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC; UNDER_WAY: begin is when tracing began */
	int64_t result;            /* RETURNED or UNDER_WAY: as in its register */
	bool is_error;             /* the result is a negative errno */
	bool was_before;           /* OPEN, CUT: it had begun before tracing did */
	enum sprof_call_ending ending;
	uint32_t stack; /* the sink's, of where it was called; 0: not wanted, or not seen */
};

/* Whether it is a call of this machine's own architecture. */
bool sprof_call_is_native(const struct sprof_call *call);

/* Whether a result is a negative errno (include/linux/err.h, MAX_ERRNO). */
bool sprof_call_result_is_error(int64_t result);

struct sprof_calls_listener {
	void *data;
	/* False: no memory. */
	bool (*call)(void *data, const struct sprof_call *call);
	/* A call begins: its end and its result are 0. NULL: not wanted. */
	bool (*begin)(void *data, const struct sprof_call *call);
	/*
	 * Whether a call that has lasted until its end_ns shall have its stack. May be called
	 * while its thread stands still, and several times. NULL: none shall.
	 */
	bool (*wants_stack)(void *data, const struct sprof_call *call);
};

struct sprof_calls_options {
	/* A filter in the kernel selects calls (SPROF_CALLS_SELECTED): its value, seccomp(2). */
	bool is_selected;
	uint32_t filter_value;
	/* with wants_stack(): after this time, open calls of sleeping threads are asked about;
	 * UINT64_MAX: never */
	uint64_t slow_ns;
};

/* What could not be seen. */
struct sprof_calls_gaps {
	/* threads of an attached process that have not been seen running: their calls are not
	 * traced yet */
	uint32_t threads_asleep;
	/* calls that were under way and ended before their thread's first stop */
	uint64_t ended_unseen;
};

struct sprof_calls; /* the state of all threads */

/* NULL: no memory. */
struct sprof_calls *sprof_calls_create(
	const struct sprof_calls_options *options, const struct sprof_calls_listener *listener);
/* NULL is accepted. */
void sprof_calls_destroy(struct sprof_calls *calls);

/* The source; valid as long as `calls`. */
struct sprof_event_source sprof_calls_source(struct sprof_calls *calls);

struct sprof_calls_gaps sprof_calls_gaps(const struct sprof_calls *calls);

#endif
