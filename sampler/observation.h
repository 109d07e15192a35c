/*
 * The result of one look at a thread. The acquirers (reuse, peek, stops, kernel) fill it in, and
 * sampler/account/book.c turns it into samples using nothing else.
 */
#pragma once

#include "sampler/account/account.h"
#include "sampler/account/ledger.h"
#include "sampler/loop/run.h"
#include "unwind/snapshot.h"

enum observed_by { OBSERVED_BY_REUSE, OBSERVED_BY_PEEK, OBSERVED_BY_STOP, OBSERVED_BY_KERNEL };

struct observation {
	struct sprof_thread *thread;
	enum observed_by by;
	/* the time that it is booked at: its tick's, a late stop's, or the kernel record's */
	uint64_t time_ns;
	enum sprof_state state;
	/* the CPU that it ran on, or was queued on, counted from 1; 0: not known */
	uint32_t cpu;

	/* The stack copy to walk. NULL: none, for reason `end`, or the last sample's (reuse). */
	struct sprof_snapshot *snapshot;
	enum sprof_end end;

	struct sprof_proc_syscall call;
	/* The kernel's stack there, innermost first: addresses in its code; 0: not known. */
	const uint64_t *kernel;
	size_t kernel_count;

	/* The thread's figures at that time; none for a timer's record. */
	struct ledger_look look;
	/* It was queued for a CPU when its stop was requested; what it has run since. */
	bool was_queued;
	uint64_t ran_ns;
	/* Of a stopped thread: exact, if figures were wanted; NULL: not read. */
	const struct reading *reading;
};

struct walked {
	struct sprof_stack_view stack; /* valid until the next walk */
	uint64_t goroutine;            /* 0: none, or not wanted */
};

/*
 * sampler/stack/walk.c: walks the snapshot; reads mappings again if that may help. Plans the next
 * copy.
 */
struct walked sprof_walk(const struct run *run, const struct observation *observation);
