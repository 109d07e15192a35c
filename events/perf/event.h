/* Opens perf events (perf_event_open(2)) and explains refusals. */
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include "base/attributes.h"

enum sprof_perf_reason {
	SPROF_PERF_PERMITTED,
	/* not permitted: perf_event_paranoid, a process of another user, a missing capability */
	SPROF_PERF_PARANOID,
	SPROF_PERF_ADMIN,            /* needs CAP_SYS_ADMIN */
	SPROF_PERF_SECCOMP,          /* a seccomp filter denies the system call, as in containers */
	SPROF_PERF_UNSUPPORTED,      /* this kernel has no such event */
	SPROF_PERF_NO_TRACEFS,       /* tracefs is not mounted or not readable */
	SPROF_PERF_NAMESPACE,        /* sprof is in another pid namespace than tracepoints use */
	SPROF_PERF_NO_LOCKED_MEMORY, /* no room within RLIMIT_MEMLOCK and perf_event_mlock_kb */
	SPROF_PERF_TOO_MANY_FILES,
	SPROF_PERF_GONE,  /* the thread no longer exists */
	SPROF_PERF_OTHER, /* see os_errno */
};

struct sprof_perf_denial {
	enum sprof_perf_reason reason;
	int os_errno; /* of the failed call; 0: none failed */
};

/* Interprets the errno of perf_event_open() or of the mmap of a ring. */
struct sprof_perf_denial sprof_perf_denial_of(int errnum);

/*
 * Attributes common to all of sprof's events, so that one parser (record.h) reads all records:
 * thread, time (CLOCK_MONOTONIC), CPU and event id in each record, ip, address and raw bytes in
 * samples, wakeup when half the ring is full, kernel excluded.
 */
struct perf_event_attr sprof_perf_attributes(unsigned type, unsigned long long config);

/*
 * Opens an event for a thread, or for all threads (tid -1), on a CPU. Returns the descriptor, or -1
 * and *ret_denial. On kernels before 5.13, which lack inherit_thread, the event is opened without
 * it and follows child processes too.
 */
SPROF_MUST_USE int sprof_perf_open(struct perf_event_attr *attributes, pid_t tid, int cpu,
	struct sprof_perf_denial *ret_denial);
