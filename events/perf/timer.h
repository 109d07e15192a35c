/*
 * A kernel timer for one thread: whenever the thread has used a period of CPU time, the kernel
 * records its user registers and the top of its stack, on the thread's own CPU and without stopping
 * it. A timer that fires in kernel code records where the thread left user code, if requested and
 * permitted (perf_event_paranoid below 2, or CAP_PERFMON).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/perf/event.h"
#include "events/perf/registers.h"

/* Largest stack copy in bytes that fits into a record. */
enum { SPROF_PERF_TIMER_STACK_MAX = 63 * 1024 };

/* Largest number of kernel functions in a record, from the innermost. */
enum { SPROF_PERF_TIMER_CHAIN = 32 };

struct sprof_perf_timer;

struct sprof_perf_timer_plan {
	pid_t tid; /* 0: the calling thread */
	uint64_t period_ns;
	size_t stack_size; /* bytes to copy: a multiple of 8, at most SPROF_PERF_TIMER_STACK_MAX */
	/* minimum capacity of the ring in records; in an open timer, its actual capacity */
	size_t records;
	bool with_chains; /* with the kernel's stack */
};

enum sprof_perf_timer_kind {
	SPROF_PERF_TIMER_SAMPLE,
	SPROF_PERF_TIMER_LOST,      /* the ring was full; mmap records may be missing, too */
	SPROF_PERF_TIMER_THROTTLED, /* the kernel has throttled the timer */
};

/* The thread has mapped executable memory of a file. */
struct sprof_perf_timer_mapping {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t start, end;
};

struct sprof_perf_timer_record {
	enum sprof_perf_timer_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	int cpu;          /* SAMPLE: CPU it ran on */
	bool in_kernel;   /* SAMPLE: in kernel code */
	/* SAMPLE: the kernel's stack, innermost first, as instruction addresses */
	uint64_t kernel[SPROF_PERF_TIMER_CHAIN];
	size_t kernel_count;
	uint64_t lost; /* LOST: number of samples */
	/*
	 * The thread's new mappings around that time, in order of time, as far as the ring has
	 * them: all later ones in the ring, and some earlier ones. If there are very many, some are
	 * merged. Valid until the next call.
	 */
	const struct sprof_perf_timer_mapping *mappings;
	size_t mapping_count;
	uint64_t mapped_ns; /* an upper bound for the time of its last mapping before the record */
	struct sprof_perf_user user; /* SAMPLE */
};

/*
 * Returns false if refused, or if locked memory allows a ring of less than two records. The ring
 * may hold fewer records than requested. The timer runs at once and continues across exec.
 */
SPROF_MUST_USE bool sprof_perf_timer_open(struct sprof_perf_timer_plan *plan,
	struct sprof_perf_timer **ret, struct sprof_perf_denial *ret_denial);
/* NULL is accepted. */
void sprof_perf_timer_close(struct sprof_perf_timer *timer);

/* Whether a timer could be opened for sprof itself. */
SPROF_MUST_USE bool sprof_perf_timer_is_permitted(struct sprof_perf_denial *ret_denial);

/*
 * Opens a timer that produces no records. Opening a thread's first timer on a machine waits 8 to 90
 * ms for all CPUs (kernel/events/core.c, account_event()); while this one is open, no other is the
 * first. Returns NULL if refused.
 */
struct sprof_perf_timer *sprof_perf_timer_keep(void);

/*
 * Takes the oldest record if it is not later than until_ns. `scratch` is the caller's buffer of
 * SPROF_PERF_RECORD_MAX bytes. The stack is valid until the next call, as long as `scratch` is.
 */
SPROF_MUST_USE bool sprof_perf_timer_take(struct sprof_perf_timer *timer, uint64_t until_ns,
	unsigned char *scratch, struct sprof_perf_timer_record *ret);

/* Starts a new period; the elapsed part of the current one is dropped. */
void sprof_perf_timer_set_period(const struct sprof_perf_timer *timer, uint64_t period_ns);
