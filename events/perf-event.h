/*
 * Opening perf events (perf_event_open(2)), and why the kernel refuses.
 */
#ifndef SPROF_EVENTS_PERF_EVENT_H
#define SPROF_EVENTS_PERF_EVENT_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "base/attributes.h"

enum sprof_perf_reason {
	SPROF_PERF_PERMITTED,
	/* the user may not: perf_event_paranoid, a process of others, a missing capability */
	SPROF_PERF_PARANOID,
	SPROF_PERF_ADMIN,            /* it takes CAP_SYS_ADMIN */
	SPROF_PERF_SECCOMP,          /* a seccomp filter refuses the call, as in a container */
	SPROF_PERF_UNSUPPORTED,      /* this kernel has no such events */
	SPROF_PERF_NO_TRACEFS,       /* tracefs is not mounted, or can't be read */
	SPROF_PERF_NAMESPACE,        /* tracepoints count processes in another pid namespace */
	SPROF_PERF_NO_LOCKED_MEMORY, /* RLIMIT_MEMLOCK and perf_event_mlock_kb leave no room */
	SPROF_PERF_TOO_MANY_FILES,
	SPROF_PERF_GONE,  /* there is no such thread any more */
	SPROF_PERF_OTHER, /* the errno tells */
};

struct sprof_perf_denial {
	enum sprof_perf_reason reason;
	int os_errno; /* of the call that failed; 0: none did */
};

/* What the errno of perf_event_open() or of the mmap of its ring means here. */
struct sprof_perf_denial sprof_perf_denial_of(int errnum);

/*
 * An attribute with what all events of sprof have in common, so that one parser reads all records
 * (perf-record.h): event, thread, time (CLOCK_MONOTONIC) and CPU in each, and places and raw bytes in
 * samples; a reader that is woken only when half the ring is full; nothing of the kernel.
 */
struct perf_event_attr sprof_perf_attributes(unsigned type, unsigned long long config);

/*
 * Opens an event of a thread, or of all threads (tid -1), on a CPU. Returns the descriptor, or -1
 * with *ret_denial. Where the kernel lacks inherit_thread (before 5.13), the event is opened without
 * it: it then also follows processes.
 */
SPROF_MUST_USE int sprof_perf_open(struct perf_event_attr *attributes, pid_t tid, int cpu,
	struct sprof_perf_denial *ret_denial);

#endif
