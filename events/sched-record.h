/*
 * What the scheduler did with a thread: one record of the stream that sources give and delays.h
 * reads.
 */
#ifndef SPROF_EVENTS_SCHED_RECORD_H
#define SPROF_EVENTS_SCHED_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { SPROF_SCHED_NAME_SIZE = 16 }; /* TASK_COMM_LEN: with its NUL */

enum sprof_sched_kind {
	SPROF_SCHED_OFF,    /* it leaves its CPU */
	SPROF_SCHED_ON,     /* it gets a CPU */
	SPROF_SCHED_WAKING, /* somebody begins to wake it (sched_waking) */
	SPROF_SCHED_WAKEUP, /* it can run from now on (sched_wakeup, sched_wakeup_new) */
	SPROF_SCHED_BIRTH,  /* it is a new thread of the process */
	SPROF_SCHED_NAME,   /* it has another name */
	SPROF_SCHED_EXEC, /* the same, of another program: it has the process's id, and is alone */
	SPROF_SCHED_EXIT,
	SPROF_SCHED_READING,   /* of its schedstat */
	SPROF_SCHED_GAP_BEGIN, /* from here on, records of any thread may be missing ... */
	SPROF_SCHED_GAP_END,   /* ... and from here on, no longer */
};

struct sprof_sched_record {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	pid_t tid;        /* none for gaps */
	enum sprof_sched_kind kind;
	int cpu;
	bool preempted; /* OFF: it could have gone on */
	union {
		struct {
			uint64_t delay_ns, slices; /* READING: since the thread's birth */
		};
		char name[SPROF_SCHED_NAME_SIZE]; /* NAME, EXEC */
		pid_t parent;  /* BIRTH: the thread that started it; 0: unknown */
		uint64_t lost; /* GAP_END: records */
	};
};

#endif
