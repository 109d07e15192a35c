/* A target's reports to its owner, in the kernel's order. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "attach/calls/stop.h"
#include "attach/regs/regs.h"
#include "base/attributes.h"

struct sprof_thread;

enum sprof_event_kind {
	SPROF_EVENT_TIMEOUT,
	SPROF_EVENT_SIGNAL,  /* a control signal arrived; see info */
	SPROF_EVENT_STOPPED, /* stopped on request: the owner reads, then resumes it */
	/*
	 * stopped at a system call, if calls are reported; continue with sprof_thread_resume_call()
	 */
	SPROF_EVENT_CALL,
	/* These two only if requested. The thread has already continued. */
	SPROF_EVENT_BORN,      /* the thread has created another one; see born */
	SPROF_EVENT_DELIVERED, /* a signal is about to be delivered to it; see info */
	SPROF_EVENT_HELD,      /* stopped for the caller, which must resume it; see held */
	SPROF_EVENT_EXEC,      /* the thread runs another program, with the process's pid as tid */
	SPROF_EVENT_ENDED,     /* ended or detached: read its final figures, then release it */
	SPROF_EVENT_EMPTY,     /* no threads are left, and no launched process was detached */
};

/* Why a thread is held (if requested in sprof_target_options). */
enum sprof_hold {
	SPROF_HELD_BORN, /* new, has not run yet */
	SPROF_HELD_EXEC, /* has executed a program, which has not run yet; follows EXEC */
	/* at a system call, because its owner resumed it to the next one; see call */
	SPROF_HELD_CALL,
	/* at a breakpoint; see regs, and sprof_breakpoint_pass() */
	SPROF_HELD_BREAKPOINT,
};

struct sprof_event {
	enum sprof_event_kind kind;
	struct sprof_thread *thread;
	/*
	 * BORN, DELIVERED, EXEC, ENDED: CLOCK_MONOTONIC of the report, after which the thread
	 * continued
	 */
	uint64_t time_ns;
	/* EXEC, ENDED: the thread's tid before. Another thread may have it since the exec. */
	pid_t former_tid;
	siginfo_t info;
	/* CALL, HELD_CALL: the state at the stop; NONE: not read yet */
	struct sprof_call_state call;
	enum sprof_hold held;   /* HELD */
	struct sprof_regs regs; /* HELD_BREAKPOINT: the pc is the breakpoint's address */
	struct {
		struct sprof_thread *thread;
		pid_t tid;
		bool is_process; /* the first thread of a new process */
	} born;
};

/* One kernel report makes at most three events, and is read only when the queue is empty. */
enum { SPROF_EVENTS_MAX = 8 };

/* Zeroed is empty and valid. */
struct sprof_event_queue {
	struct sprof_event items[SPROF_EVENTS_MAX]; /* a ring */
	size_t first, count;
};

/* The caller ensures that the queue has room. */
void sprof_event_queue_put(
	struct sprof_event_queue *queue, enum sprof_event_kind kind, struct sprof_thread *thread);
/* Sets the time of BORN, DELIVERED, EXEC and ENDED. */
void sprof_event_queue_put_now(struct sprof_event_queue *queue, struct sprof_event event);
void sprof_event_queue_put_signal(struct sprof_event_queue *queue, const siginfo_t *info);
/* Adds an event unchanged. */
void sprof_event_queue_put_whole(struct sprof_event_queue *queue, const struct sprof_event *event);

/* Takes the oldest event. Returns false, and leaves *ret unchanged, if the queue is empty. */
SPROF_MUST_USE bool sprof_event_queue_take(
	struct sprof_event_queue *queue, struct sprof_event *ret);

/* Drops the events of a thread that is being forgotten. */
void sprof_event_queue_drop(struct sprof_event_queue *queue, const struct sprof_thread *thread);
