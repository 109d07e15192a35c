/*
 * What a target reports to its owner, in the order in which the kernel reported it.
 */
#ifndef SPROF_ATTACH_EVENT_H
#define SPROF_ATTACH_EVENT_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "attach/call-stop.h"
#include "attach/regs.h"
#include "base/attributes.h"

struct sprof_thread;

enum sprof_event_kind {
	SPROF_EVENT_TIMEOUT,
	SPROF_EVENT_SIGNAL,  /* one of the control signals came; see info */
	SPROF_EVENT_STOPPED, /* interrupted and now stopped: read what is needed, then resume it */
	/* stopped at a system call, if calls are reported; sprof_thread_resume_call() */
	SPROF_EVENT_CALL,
	/* These two only if they are asked for. The thread goes on meanwhile. */
	SPROF_EVENT_BORN,      /* the thread has started another one; see born */
	SPROF_EVENT_DELIVERED, /* it is about to get a signal; see info */
	SPROF_EVENT_HELD,      /* stopped for the caller, who resumes it; see held */
	SPROF_EVENT_EXEC,      /* the thread now runs another program, under the process's id */
	SPROF_EVENT_ENDED,     /* ended or detached: read its last figures, then release it */
	SPROF_EVENT_EMPTY,     /* no thread is left, and no launched process was detached */
};

/* Why a thread is held, if that was asked for (sprof_target_options). */
enum sprof_hold {
	SPROF_HELD_BORN, /* it is new, and has not run yet */
	SPROF_HELD_EXEC, /* it has just executed a program, which has not run yet; after EXEC */
	/* it is at a system call, because its owner has resumed it to one; see call */
	SPROF_HELD_CALL,
	/* it has come to a breakpoint; see regs, and sprof_breakpoint_pass() */
	SPROF_HELD_BREAKPOINT,
};

struct sprof_event {
	enum sprof_event_kind kind;
	struct sprof_thread *thread;
	/* BORN, DELIVERED, EXEC, ENDED: CLOCK_MONOTONIC of the report, after which the thread went on */
	uint64_t time_ns;
	/* EXEC, ENDED: the thread's id until then. Another thread may have it since the exec. */
	pid_t former_tid;
	siginfo_t info;
	/* CALL, HELD_CALL: what the stop says, or NONE if it is still to be read */
	struct sprof_call_state call;
	enum sprof_hold held;   /* HELD */
	struct sprof_regs regs; /* HELD_BREAKPOINT: the pc is the breakpoint's */
	struct {
		struct sprof_thread *thread;
		pid_t tid;
		bool is_process; /* it is the first thread of a new process */
	} born;
};

/* One kernel report makes at most three events, and is taken only when the queue is empty. */
enum { SPROF_EVENTS_MAX = 8 };

/* Zeroed is empty and valid. */
struct sprof_event_queue {
	struct sprof_event items[SPROF_EVENTS_MAX]; /* a ring */
	size_t first, count;
};

/* The caller ensures that the queue has room. */
void sprof_event_queue_put(
	struct sprof_event_queue *queue, enum sprof_event_kind kind, struct sprof_thread *thread);
/* BORN, DELIVERED, EXEC and ENDED get their time. */
void sprof_event_queue_put_now(struct sprof_event_queue *queue, struct sprof_event event);
void sprof_event_queue_put_signal(struct sprof_event_queue *queue, const siginfo_t *info);
/* Any event, as it is. */
void sprof_event_queue_put_whole(struct sprof_event_queue *queue, const struct sprof_event *event);

/* Takes the oldest event. False: the queue is empty; *ret is unchanged. */
SPROF_MUST_USE bool sprof_event_queue_take(
	struct sprof_event_queue *queue, struct sprof_event *ret);

/* Drops the events of a thread that is being forgotten. */
void sprof_event_queue_drop(struct sprof_event_queue *queue, const struct sprof_thread *thread);

#endif
