/*
 * What happened to a thread at one moment: plain data passed from events/wakeups/ to
 * profile/critical/. No behaviour, so that neither side depends on the other.
 */
#pragma once

#include <stdint.h>

enum sprof_moment_kind {
	SPROF_MOMENT_BORN,      /* it may run for the first time; its creator is the waker */
	SPROF_MOMENT_ON,        /* it gets a CPU */
	SPROF_MOMENT_OFF,       /* it leaves its CPU to sleep */
	SPROF_MOMENT_PREEMPTED, /* it leaves its CPU, and could have gone on */
	SPROF_MOMENT_WOKEN,
	SPROF_MOMENT_ENDED,
	/*
	 * Moments of any thread may be missing before this one, for `by` us; UINT32_MAX: since the
	 * begin.
	 */
	SPROF_MOMENT_GAP,
	/* It has no other moment, and a sample has shown that it runs, or sleeps. */
	SPROF_MOMENT_SEEN_RUNNING,
	SPROF_MOMENT_SEEN_ASLEEP,
};

enum sprof_waker {
	SPROF_WAKER_UNKNOWN, /* there is no record of it */
	SPROF_WAKER_THREAD,  /* of the target: `by` is its id */
	SPROF_WAKER_PROCESS, /* a thread of another program: `by` is the index of its name */
	SPROF_WAKER_KERNEL,  /* a thread of the kernel: the same */
	/* A hardware interrupt: a timer, or a device. */
	SPROF_WAKER_INTERRUPT,
	/* The kernel's work after an interrupt, or for a sender: network, disks, some timers. */
	SPROF_WAKER_SOFT_INTERRUPT,
	SPROF_WAKER_SPROF, /* it continued the thread after a stop */
	SPROF_WAKER_COUNT,
};

struct sprof_moment {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t thread;  /* the target's thread id; not used by GAP */
	uint32_t by;      /* see enum sprof_waker */
	uint8_t kind;     /* enum sprof_moment_kind */
	uint8_t waker;    /* BORN, WOKEN: enum sprof_waker */
};
