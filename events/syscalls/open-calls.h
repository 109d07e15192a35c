/*
 * Assigns the stops of one thread to system calls. A call that is interrupted by a signal or a stop
 * and restarted by the kernel counts as one call. Works only on the values passed in.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/calls/stop.h"
#include "events/syscalls/calls.h"

/* The current call, and below it the calls interrupted by a signal handler. */
enum { OPEN_CALLS_DEPTH = 8 };

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

struct open_calls {
	struct open_call calls[OPEN_CALLS_DEPTH];
	unsigned depth;
};

/* What a stop shows. `is_restarted`: sprof made the kernel restart the call before this stop. */
struct open_calls_stop {
	const struct sprof_call_state *state;
	uint64_t now_ns;
	bool is_restarted;
};

/*
 * Returns the next call that, as this entry shows, has ended. Call until it returns false. The
 * results of this file's functions have no thread set.
 */
bool sprof_open_calls_settle(
	struct open_calls *open, const struct open_calls_stop *entry, struct sprof_call *ret);

enum open_calls_entry {
	OPEN_CALLS_BEGINS,
	OPEN_CALLS_BEGINS_UNSEEN, /* as BEGINS, and the previous call's end was not seen */
	OPEN_CALLS_GOES_ON,       /* an interrupted call is restarted */
};

/* Handles the entry itself, after sprof_open_calls_settle(). */
enum open_calls_entry sprof_open_calls_enter(
	struct open_calls *open, const struct open_calls_stop *entry);
/* The thread was inside this call when tracing began. */
void sprof_open_calls_found(struct open_calls *open, const struct open_call *call);
/*
 * Returns true and the call if it has ended. Returns false if it continues, or its start was not
 * seen.
 */
bool sprof_open_calls_leave(
	struct open_calls *open, const struct open_calls_stop *exit, struct sprof_call *ret);
/*
 * Handles the exit of rt_sigreturn(2). Returns true if the interrupted call below ended with EINTR.
 */
bool sprof_open_calls_returned(
	struct open_calls *open, const struct open_calls_stop *exit, struct sprof_call *ret);
/* Ends the open calls, one per call, because nothing more will be seen of them. */
bool sprof_open_calls_close(struct open_calls *open, enum sprof_call_ending ending, uint64_t now_ns,
	struct sprof_call *ret);
/* The open call as if it ended now. Returns false if there is none. */
bool sprof_open_calls_present(
	const struct open_calls *open, uint64_t now_ns, struct sprof_call *ret);
void sprof_open_calls_set_stack(struct open_calls *open, uint32_t stack);
/* The thread has executed another program. */
void sprof_open_calls_executed(struct open_calls *open);

/* AUDIT_ARCH_* of this machine. */
uint32_t sprof_call_native_arch(void);
