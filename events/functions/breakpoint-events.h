/*
 * Function calls, by breakpoints at function begins and return addresses. A thread stops at each
 * one for as long as it takes to read its registers.
 *
 * Return addresses on the stack are not changed, so exceptions, longjmp(3) and unwinders are
 * unaffected.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/thread.h"
#include "base/attributes.h"
#include "events/source.h"
#include "events/syscalls/events.h"

struct sprof_breakpoint_events;

struct sprof_breakpoint_options {
	/*
	 * Receives PROBE and RETURN events in order of time. Other events may be sent to it as
	 * well.
	 */
	struct sprof_trace_sink sink;
	/* A thread is held at a LOADER, before new code runs. Gets the sink's data. May be NULL. */
	void (*mapped)(void *data, struct sprof_process *process);
	/*
	 * A thread jumps to this place of its own stack: the calls below have no RETURN. Gets the
	 * sink's data. May be NULL.
	 */
	void (*left)(void *data, uint32_t thread, uint64_t sp, uint64_t now_ns);
	bool stacks;      /* copy a stack at each begin */
	bool begins_only; /* no breakpoints at returns */
	/* fill in the CPU times of struct sprof_breakpoint_load: one more read per stop */
	bool times;
};

/* Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_breakpoint_events *sprof_breakpoint_events_create(
	const struct sprof_breakpoint_options *options);
/* NULL is accepted. */
void sprof_breakpoint_events_destroy(struct sprof_breakpoint_events *events);

enum sprof_breakpoint_way {
	SPROF_BREAKPOINT_CALL,
	SPROF_BREAKPOINT_BRIEF, /* no returns and no stacks */
	/*
	 * an IFUNC's code: it has no events, but the function that it returns is watched, as CALL
	 */
	SPROF_BREAKPOINT_RESOLVER,
	/* the loader calls it when it has mapped or unmapped libraries: no events */
	SPROF_BREAKPOINT_LOADER,
	/* longjmp(3), or the start of a C++ handler: it leaves calls, and has no events */
	SPROF_BREAKPOINT_JUMP,
	SPROF_BREAKPOINT_CATCH,
};

/*
 * Watches the function whose first instruction is at `address`. Its events carry `number`. Returns
 * false if the code can't be changed, or out of memory.
 */
SPROF_MUST_USE bool sprof_breakpoint_events_add(struct sprof_process *process, uint64_t address,
	int64_t number, enum sprof_breakpoint_way way);

/* Removes all breakpoints, and puts them back. While suspended, none may be added. Open calls get
 * no return event, and a stop at a breakpoint that is reported only after the suspension gets no
 * event. */
void sprof_breakpoint_events_suspend(struct sprof_breakpoint_events *events);
void sprof_breakpoint_events_resume(struct sprof_breakpoint_events *events);

/* Stops of one thread so far: their number, and the time spent reading it. The kernel's share of
 * the time is not included. */
struct sprof_breakpoint_load {
	uint64_t stops, read_ns;
	uint64_t stopped_ns; /* time of the last stop */
	/*
	 * time from the previous stop's end, or from the end of a suspension, to the last stop; 0:
	 * first stop
	 */
	uint64_t gap_ns;
	/* From schedstat, over gap_ns: CPU time, run-queue time, timeslices. 0: not available. */
	uint64_t cpu_ns, runq_ns, slices;
	uint64_t all_runq_ns; /* of the thread's whole life */
	/*
	 * with `times`: the tracer ran on another CPU than the thread, when this was last looked at
	 */
	bool is_elsewhere;
};

/* How often a breakpoint was removed for a moment, so that other threads may have run past it. */
uint64_t sprof_breakpoint_events_gone(const struct sprof_breakpoint_events *events);

struct sprof_breakpoint_load sprof_breakpoint_events_load(
	const struct sprof_breakpoint_events *events, uint32_t thread);

/*
 * The source handles HELD_BREAKPOINT reports and continues the thread. At its end it removes all
 * breakpoints.
 */
struct sprof_event_source sprof_breakpoint_events_source(struct sprof_breakpoint_events *events);
