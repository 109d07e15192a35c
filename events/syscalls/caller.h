/*
 * Assigns the stops of one thread to system calls. A call that is interrupted by a signal or a stop
 * and restarted by the kernel counts as one call. Works only on the values passed in.
 */
#ifndef SPROF_EVENTS_SYSCALLS_CALLER_H
#define SPROF_EVENTS_SYSCALLS_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/calls/stop.h"
#include "events/syscalls/calls.h"

/* The current call, and below it the calls interrupted by a signal handler. */
enum { CALLER_DEPTH = 8 };

/* State of an open call. */
enum call_break {
	CALL_GOES_ON,
	CALL_BROKEN,      /* interrupted just now; the next stop shows how it continues */
	CALL_INTERRUPTED, /* returned EINTR, which a tracer may still change */
	CALL_IN_HANDLER,  /* a signal handler runs */
	CALL_RESUMES,     /* the handler has returned: the call is about to be restarted */
};

struct open_call {
	uint32_t arch;
	int64_t number;
	uint64_t arguments[6];
	uint64_t sp, begin_ns;
	enum call_break state;
	uint64_t broken_ns; /* when it was interrupted */
	bool was_before;    /* began before tracing */
	uint32_t stack;     /* the sink's id; 0: none */
};

struct caller {
	struct open_call calls[CALLER_DEPTH];
	unsigned depth;
};

/* What a stop shows. `is_restarted`: sprof made the kernel restart the call before this stop. */
struct caller_stop {
	const struct sprof_call_state *state;
	uint64_t now_ns;
	bool is_restarted;
};

/*
 * Returns the next call that, as this entry shows, has ended. Call until it returns false. The
 * results of this file's functions have no thread set.
 */
bool sprof_caller_settle(
	struct caller *caller, const struct caller_stop *entry, struct sprof_call *ret);

enum caller_entry {
	CALLER_BEGINS,
	CALLER_BEGINS_UNSEEN, /* as BEGINS, and the previous call's end was not seen */
	CALLER_GOES_ON,       /* an interrupted call is restarted */
};

/* Handles the entry itself, after sprof_caller_settle(). */
enum caller_entry sprof_caller_enter(struct caller *caller, const struct caller_stop *entry);
/* The thread was inside this call when tracing began. */
void sprof_caller_found(struct caller *caller, const struct open_call *call);
/*
 * Returns true and the call if it has ended. Returns false if it continues, or its start was not
 * seen.
 */
bool sprof_caller_leave(
	struct caller *caller, const struct caller_stop *exit, struct sprof_call *ret);
/*
 * Handles the exit of rt_sigreturn(2). Returns true if the interrupted call below ended with EINTR.
 */
bool sprof_caller_returned(
	struct caller *caller, const struct caller_stop *exit, struct sprof_call *ret);
/* Ends the open calls, one per call, because nothing more will be seen of them. */
bool sprof_caller_close(struct caller *caller, enum sprof_call_ending ending, uint64_t now_ns,
	struct sprof_call *ret);
/* The open call as if it ended now. Returns false if there is none. */
bool sprof_caller_present(const struct caller *caller, uint64_t now_ns, struct sprof_call *ret);
/* Sets the open call's stack. */
void sprof_caller_set_stack(struct caller *caller, uint32_t stack);
/* The thread has executed another program. */
void sprof_caller_executed(struct caller *caller);

/* AUDIT_ARCH_* of this machine. */
uint32_t sprof_call_native_arch(void);

#endif
