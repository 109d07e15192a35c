/*
 * Runs the graph again with some of its time taken away, and finds the path that decides its
 * length.
 *
 * Each sleep ends by the same waker as it did, but no earlier than the waker comes to that point.
 * A thread that comes to its sleep after its waker does not sleep. Timers, disks and other programs
 * take as long as they did. If time is taken away, no thread waits for a CPU: such waits are made
 * of other threads' running, and how long they would be then is not known. Nor does the graph know
 * a waker that found its thread awake. So the result is the shortest possible run, as long as the
 * sleeps end by the same wakers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/critical/graph.h"

/* Which time remains. */
struct sprof_critical_change {
	/* The time that remains of a piece of a part; not called for waits for a CPU. */
	uint64_t (*kept)(void *data, const struct sprof_critical_part *part, uint64_t from_ns,
		uint64_t to_ns);
	void *data;
};

struct sprof_critical_replay {
	uint64_t length_ns; /* from the graph's begin to the end of the path */
	/* by part: a sleep that lasted until its waker came, which was later than the sleeper */
	bool *is_bound;
};

/* `change` NULL: nothing is taken away. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_critical_replay_run(const struct sprof_critical_graph *graph,
	const struct sprof_critical_end *end, const struct sprof_critical_change *change,
	struct sprof_critical_replay *ret);
void sprof_critical_replay_finish(struct sprof_critical_replay *replay);

/* A piece of the path: of one part, or up to where it led to another thread. */
struct sprof_critical_piece {
	const struct sprof_critical_part *part;
	uint64_t from_ns, to_ns;
	/* The sleep of another thread that this one ended at to_ns; NULL: none. */
	const struct sprof_critical_part *woke;
	/* The thread was not running when it is said to have woken another one. */
	bool is_broken;
};

/*
 * Passes the pieces of the path to `visit`, from the end of the run to its begin. Pieces of a
 * changed run have their original times.
 */
void sprof_critical_walk(const struct sprof_critical_graph *graph,
	const struct sprof_critical_end *end, const struct sprof_critical_replay *replay,
	void (*visit)(void *data, const struct sprof_critical_piece *piece), void *data);
