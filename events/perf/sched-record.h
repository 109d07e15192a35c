/* One scheduler record of a thread: the input of delays.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	SPROF_SCHED_NAME_SIZE = 16, /* TASK_COMM_LEN: including its NUL */
	SPROF_SCHED_UNKNOWN = -1,
};

enum sprof_sched_kind {
	SPROF_SCHED_OFF,    /* it leaves its CPU */
	SPROF_SCHED_ON,     /* it gets a CPU */
	SPROF_SCHED_WAKING, /* a wakeup begins (sched_waking) */
	SPROF_SCHED_WAKEUP, /* it becomes runnable (sched_wakeup, sched_wakeup_new) */
	SPROF_SCHED_BIRTH,  /* a new thread of the process */
	SPROF_SCHED_CHILD,  /* the first thread of a process that this one has started */
	SPROF_SCHED_NAME,   /* the thread has another name */
	SPROF_SCHED_EXEC, /* the same, by an exec: the only thread left, with the id of the process */
	SPROF_SCHED_EXIT,
	SPROF_SCHED_READING,   /* of the thread's schedstat */
	SPROF_SCHED_GAP_BEGIN, /* from here on, records of any thread may be missing ... */
	SPROF_SCHED_GAP_END,   /* ... until here */
};

struct sprof_sched_record {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	pid_t tid;        /* not used by gaps */
	enum sprof_sched_kind kind;
	int cpu;
	bool preempted; /* OFF: it was still runnable */
	/*
	 * OFF: the thread that gets its CPU; ON: the one that had it before; WAKING, WAKEUP: the
	 * one that ran there; 0: the idle one; SPROF_SCHED_UNKNOWN: not known
	 */
	pid_t other;
	union {
		struct {
			uint64_t delay_ns, slices; /* READING: totals since the thread's birth */
		};
		char name[SPROF_SCHED_NAME_SIZE]; /* NAME, EXEC */
		pid_t parent;  /* BIRTH, CHILD: the creating thread; 0: unknown */
		uint64_t lost; /* GAP_END: number of records */
	};
};
