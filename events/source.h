/* A source of events: functions that the sampler's loop calls, all in the tracing thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/target.h"
#include "events/perf/registers.h"

/*
 * Takes stacks of single threads for an event source. Only one copy exists at a time: walk it
 * before making the next.
 */
struct sprof_event_stacks {
	void *data;
	/*
	 * Prepares for stacks of a thread; again after each exec. The first time it reads files and
	 * allocates, so call it before the thread is stopped. Later calls look for an interpreter's
	 * state, and may be made in a stop. Returns false if out of memory.
	 */
	bool (*expect)(void *data, struct sprof_thread *thread);
	/*
	 * Copies the stack of a prepared, stopped thread. `is_last`: the program may be gone
	 * afterwards, so the mappings are read, too. Returns false if there is no copy.
	 */
	bool (*copy)(void *data, struct sprof_thread *thread, bool is_last);
	/* The same for a sleeping thread, without waking it. Returns false if it does not sleep. */
	bool (*peek)(void *data, struct sprof_thread *thread);
	/*
	 * Uses the kernel's copy of a prepared thread's stack from time_ns. The copy belongs to the
	 * caller and must be walked before it is freed. Returns false as copy(), and for times
	 * before an exec that was already reported: the old mappings are gone.
	 */
	bool (*take)(void *data, struct sprof_thread *thread, const struct sprof_perf_user *user,
		uint64_t time_ns);
	/*
	 * Walks the copy, passes the stack to the sink, and returns the sink's id. Returns false if
	 * out of memory.
	 */
	bool (*walk)(void *data, uint32_t *ret_stack);
};

struct sprof_event_source {
	void *data;
	/* Called before the loop's first event; a launched program has not run yet. May be NULL. */
	void (*begin)(void *data, struct sprof_target *target);
	/*
	 * Called after begin(), with a stack service that lasts as long as the loop. NULL: not
	 * wanted. Returns false if out of memory.
	 */
	bool (*offer)(void *data, const struct sprof_event_stacks *stacks);
	/*
	 * Called for each report of the target, before the loop handles it. The source continues
	 * the thread of a CALL or HELD report; the loop continues all others. ENDED: free the
	 * thread's state. May be NULL.
	 */
	void (*take)(void *data, const struct sprof_event *event);
	/* Time of the next poll(), CLOCK_MONOTONIC; UINT64_MAX: never. NULL: there is no poll(). */
	uint64_t (*due_ns)(const void *data);
	/* Returns false if out of memory; the run ends. */
	bool (*poll)(void *data, uint64_t now_ns);
	/* Called after the loop's last event; the threads can still be read. May be NULL. */
	void (*end)(void *data, uint64_t now_ns);
};
