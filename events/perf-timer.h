/*
 * A timer in the kernel for one thread: each time that the thread has used its CPU for a period, the
 * kernel writes down where its user code is, with registers and the top of the stack. It does so on
 * the thread's own CPU, without stopping it. A timer that goes off inside the kernel says where the user
 * code has left off, if that is wanted and permitted (perf_event_paranoid below 2, or CAP_PERFMON).
 */
#ifndef SPROF_EVENTS_PERF_TIMER_H
#define SPROF_EVENTS_PERF_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/perf-event.h"
#include "events/perf-registers.h"

/* The largest copy of a stack that fits into a record with all else, in bytes. */
enum { SPROF_PERF_TIMER_STACK_MAX = 63 * 1024 };

/* The most of the kernel's functions that a record has, from the innermost one. */
enum { SPROF_PERF_TIMER_CHAIN = 32 };

struct sprof_perf_timer;

struct sprof_perf_timer_plan {
	pid_t tid; /* 0: the caller */
	uint64_t period_ns;
	size_t stack_size; /* bytes to copy: a multiple of 8, at most SPROF_PERF_TIMER_STACK_MAX */
	/* number of records that the ring should hold; of an open timer: that it holds at least */
	size_t records;
	bool with_kernel; /* of the kernel's own code, too */
	bool with_chains; /* and its stack there */
};

enum sprof_perf_timer_kind {
	SPROF_PERF_TIMER_SAMPLE,
	SPROF_PERF_TIMER_LOST,      /* the ring was full; new mappings may be lost, too */
	SPROF_PERF_TIMER_THROTTLED, /* the kernel keeps the timer off for a while */
};

/* The thread has mapped code of a file. */
struct sprof_perf_timer_mapping {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t start, end;
};

struct sprof_perf_timer_record {
	enum sprof_perf_timer_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	int cpu;          /* SAMPLE: that it ran on */
	bool in_kernel;   /* SAMPLE: it was in the kernel */
	/* SAMPLE: the kernel's stack there, innermost first: addresses of instructions */
	uint64_t kernel[SPROF_PERF_TIMER_CHAIN];
	size_t kernel_count;
	uint64_t lost; /* LOST: number of samples */
	/*
	 * What the thread has mapped around that time, in order of time, as far as the ring tells: up to what is in
	 * it now, and some of before. Of very many, several are in one. It is valid until the next call.
	 */
	const struct sprof_perf_timer_mapping *mappings;
	size_t mapping_count;
	uint64_t mapped_ns; /* until when it has mapped code before that time, at the latest */
	struct sprof_perf_user user; /* SAMPLE */
};

/*
 * False: refused. Also if the ring that locked memory allows holds less than two records. It may hold less
 * than it should. The timer runs at once, and also in another program that the thread executes.
 */
SPROF_MUST_USE bool sprof_perf_timer_open(struct sprof_perf_timer_plan *plan,
	struct sprof_perf_timer **ret, struct sprof_perf_denial *ret_denial);
/* NULL is accepted. */
void sprof_perf_timer_close(struct sprof_perf_timer *timer);

/* Whether a timer of our own thread could be opened; `with_kernel`: one of the kernel's own code, too. */
SPROF_MUST_USE bool sprof_perf_timer_is_permitted(
	bool with_kernel, struct sprof_perf_denial *ret_denial);

/*
 * One that tells nothing. The first timer of a thread on a machine has its opener wait for all CPUs, for 8 to 90 ms
 * (kernel/events/core.c, account_event()). While this one is open, no other is the first. NULL: refused.
 */
struct sprof_perf_timer *sprof_perf_timer_keep(void);

/*
 * Takes the oldest record, if it is not later than until_ns. `scratch` is the caller's, and has
 * SPROF_PERF_RECORD_MAX bytes. The stack is valid until the next call, for as long as `scratch` is.
 */
SPROF_MUST_USE bool sprof_perf_timer_take(struct sprof_perf_timer *timer, uint64_t until_ns,
	unsigned char *scratch, struct sprof_perf_timer_record *ret);

/* From now on. The part of the old period that has passed is forgotten. */
void sprof_perf_timer_set_period(const struct sprof_perf_timer *timer, uint64_t period_ns);

#endif
