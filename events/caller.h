/*
 * Which stops of a thread belong to one system call. A call that a signal or a stop breaks off and
 * that the kernel restarts is one call. Pure: takes what the stops say.
 */
#ifndef SPROF_EVENTS_CALLER_H
#define SPROF_EVENTS_CALLER_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/call-stop.h"
#include "events/calls.h"

/* The call that a thread is in, and those below it: each broken off by a signal's handler. */
enum { CALLER_DEPTH = 8 };

/* Whether an open call goes on. */
enum call_break {
	CALL_GOES_ON,
	CALL_BROKEN,      /* just now: the next stop tells what becomes of it */
	CALL_INTERRUPTED, /* it returned EINTR, which a tracer may still change */
	CALL_IN_HANDLER,  /* a handler runs above it */
	CALL_RESUMES,     /* the handler has returned: it begins again at once */
};

struct open_call {
	uint32_t arch;
	int64_t number;
	uint64_t arguments[6];
	uint64_t sp, begin_ns;
	enum call_break state;
	uint64_t broken_ns; /* since when it does not go on */
	bool was_before;    /* it had begun before tracing did */
	uint32_t stack;     /* the sink's; 0: none */
};

struct caller {
	struct open_call calls[CALLER_DEPTH];
	unsigned depth;
};

/* What a stop says, and whether sprof has made the kernel restart the call before it. */
struct caller_stop {
	const struct sprof_call_state *state;
	uint64_t now_ns;
	bool is_restarted;
};

/*
 * The next of the calls that have ended before this entry, as it shows: to be asked until it says
 * no. The calls of all functions here lack their thread.
 */
bool sprof_caller_settle(
	struct caller *caller, const struct caller_stop *entry, struct sprof_call *ret);

enum caller_entry {
	CALLER_BEGINS,
	CALLER_BEGINS_UNSEEN, /* and the end of its former call was not seen */
	CALLER_GOES_ON,       /* the call that was broken off is restarted */
};

/* The entry itself, after sprof_caller_settle(). */
enum caller_entry sprof_caller_enter(struct caller *caller, const struct caller_stop *entry);
/* It was inside a call when tracing began. */
void sprof_caller_found(struct caller *caller, const struct open_call *call);
/* True: *ret is the call that has ended. False: it goes on, or its begin was not seen. */
bool sprof_caller_leave(
	struct caller *caller, const struct caller_stop *exit, struct sprof_call *ret);
/* After the exit of rt_sigreturn(2): the call below it ended with EINTR. */
bool sprof_caller_returned(
	struct caller *caller, const struct caller_stop *exit, struct sprof_call *ret);
/* The next of the calls that have ended, or end now, because nothing more will be seen of them. */
bool sprof_caller_close(struct caller *caller, enum sprof_call_ending ending, uint64_t now_ns,
	struct sprof_call *ret);
/* The call that goes on, as if it ended now. False: there is none. */
bool sprof_caller_present(const struct caller *caller, uint64_t now_ns, struct sprof_call *ret);
/* Its stack. */
void sprof_caller_set_stack(struct caller *caller, uint32_t stack);
/* The thread runs another program. */
void sprof_caller_executed(struct caller *caller);

/* The number of this machine's own architecture, AUDIT_ARCH_*. */
uint32_t sprof_call_native_arch(void);

#endif
