/*
 * A source of single events: what the loop that owns the target (sampler/) calls. All functions run
 * in the tracing thread.
 */
#ifndef SPROF_EVENTS_SOURCE_H
#define SPROF_EVENTS_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/target.h"
#include "events/perf-registers.h"

/*
 * Stacks of single threads, for a source that wants them. Only one is under way: a copy is walked
 * before the next one is made.
 */
struct sprof_event_stacks {
	void *data;
	/*
	 * Prepares for a thread whose stack may be wanted, again after each exec. Reads files and
	 * allocates, so not while the thread stands still. False: no memory.
	 */
	bool (*expect)(void *data, struct sprof_thread *thread);
	/*
	 * Copies the stack of an expected thread that stands still. `is_last`: its program may be
	 * gone afterwards, so its mappings are read, too. False: there is no copy.
	 */
	bool (*copy)(void *data, struct sprof_thread *thread, bool is_last);
	/* The same for a thread that sleeps, which it goes on doing. False: it doesn't sleep. */
	bool (*peek)(void *data, struct sprof_thread *thread);
	/*
	 * Takes a copy that the kernel has made of an expected thread's stack at time_ns. It stays
	 * the caller's, and is walked before it is gone. False: as copy(); so is what happened before
	 * an exec, once that was reported: nobody knows any more what was mapped then.
	 */
	bool (*take)(void *data, struct sprof_thread *thread, const struct sprof_perf_user *user,
		uint64_t time_ns);
	/* Walks the copy and gives the stack to the sink: its id there. False: no memory. */
	bool (*walk)(void *data, uint32_t *ret_stack);
};

struct sprof_event_source {
	void *data;
	/* Before the loop's first event. A launched program has not run yet. NULL: not needed. */
	void (*begin)(void *data, struct sprof_target *target);
	/* After begin(): stacks, as long as the loop lasts. NULL: not wanted. False: no memory. */
	bool (*offer)(void *data, const struct sprof_event_stacks *stacks);
	/*
	 * A report of the target, before the loop handles it. The taker of a CALL or a HELD
	 * continues its thread; the loop handles all others. ENDED: the last moment to free what it knows of the
	 * thread. NULL: not needed.
	 */
	void (*take)(void *data, const struct sprof_event *event);
	/* When poll() is due, CLOCK_MONOTONIC; UINT64_MAX: never. NULL: never, and without a poll. */
	uint64_t (*due_ns)(const void *data);
	/* False: no memory; the run ends. */
	bool (*poll)(void *data, uint64_t now_ns);
	/* After the loop's last event, while threads may still be asked about. NULL: not needed. */
	void (*end)(void *data, uint64_t now_ns);
};

#endif
