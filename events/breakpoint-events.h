/*
 * Calls of functions, by breakpoints at their begin and where they return to. Threads stop at each,
 * for as long as it takes to read their registers.
 *
 * Return addresses stay as they are: exceptions, longjmp(3) and unwinders work as without us.
 */
#ifndef SPROF_EVENTS_BREAKPOINT_EVENTS_H
#define SPROF_EVENTS_BREAKPOINT_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/thread.h"
#include "base/attributes.h"
#include "events/call-events.h"
#include "events/source.h"

struct sprof_breakpoint_events;

struct sprof_breakpoint_options {
	/* Gets events of type PROBE and RETURN in the order of time, and may be given others. */
	struct sprof_trace_sink sink;
	bool stacks;      /* of begins */
	bool begins_only; /* no returns */
	bool times;       /* the load has CPU times, for another read at each stop */
};

/* NULL: no memory. */
SPROF_MUST_USE struct sprof_breakpoint_events *sprof_breakpoint_events_create(
	const struct sprof_breakpoint_options *options);
/* NULL is accepted. */
void sprof_breakpoint_events_destroy(struct sprof_breakpoint_events *events);

/*
 * Watches the function whose first instruction is at this address of a process, from now on. The number
 * is what its events say. `is_brief`: there are none of its returns, and no stacks. False: its code can't
 * be changed, or no memory.
 */
SPROF_MUST_USE bool sprof_breakpoint_events_add(
	struct sprof_process *process, uint64_t address, int64_t number, bool is_brief);

/* Nobody stops any more; as before. While they are suspended, none may be added. Returns of calls that
 * were under way are not told, nor are threads that came to a breakpoint before and report it later. */
void sprof_breakpoint_events_suspend(struct sprof_breakpoint_events *events);
void sprof_breakpoint_events_resume(struct sprof_breakpoint_events *events);

/* What stops have taken from a thread so far: their number, and the time in which they were read. The
 * kernel's part is not in it. */
struct sprof_breakpoint_load {
	uint64_t stops, read_ns;
	uint64_t stopped_ns; /* when it was seen to stop last */
	uint64_t gap_ns;     /* since it went on before that; 0: it had not stopped before */
	/* In that time, by schedstat: what it ran, waited for a CPU, and how often it was put on one. 0: the
	 * kernel does not tell. */
	uint64_t cpu_ns, runq_ns, slices;
};

/* How often a breakpoint was gone for a moment, so that other threads may have missed it. */
uint64_t sprof_breakpoint_events_gone(const struct sprof_breakpoint_events *events);

struct sprof_breakpoint_load sprof_breakpoint_events_load(
	const struct sprof_breakpoint_events *events, uint32_t thread);

/* A source that takes what is HELD_BREAKPOINT, and continues the thread. Its end removes all. */
struct sprof_event_source sprof_breakpoint_events_source(struct sprof_breakpoint_events *events);

#endif
