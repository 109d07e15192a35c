/*
 * The graph of a run: what each thread did, part by part, and what ended its sleeps.
 *
 * The critical path is found backwards from the end of the run. A thread that ran or waited for a
 * CPU is on the path itself. A thread that slept until another one woke it is not: the path goes on
 * in the waker, from the moment of the waking. A sleep that nothing in the target ended, such as a
 * timer's, is on the path itself.
 *
 * Needs no profile and no process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/moment.h"

#define SPROF_CRITICAL_NONE UINT32_MAX

enum sprof_critical_kind {
	SPROF_CRITICAL_RUN,
	SPROF_CRITICAL_QUEUE, /* waits for a CPU */
	SPROF_CRITICAL_SLEEP,
	SPROF_CRITICAL_LOST, /* not known: records are missing */
	SPROF_CRITICAL_KINDS,
};

/* A birth is a sleep of no length, which the creator ends. */
struct sprof_critical_part {
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	uint32_t thread;
	uint32_t by;   /* SLEEP: as in struct sprof_moment */
	uint8_t kind;  /* enum sprof_critical_kind */
	uint8_t waker; /* SLEEP: enum sprof_waker; what ended it */
	bool is_birth;
	bool is_open; /* it had not ended when the recording did */
};

/* Whether another thread of the target ended it. */
static inline bool sprof_critical_has_waker(const struct sprof_critical_part *part)
{
	return part->kind == SPROF_CRITICAL_SLEEP && part->waker == SPROF_WAKER_THREAD;
}

struct sprof_critical_graph {
	uint64_t begin_ns, end_ns;
	/* by thread, and in order of time; a thread's parts follow each other without gaps */
	struct sprof_critical_part *parts;
	size_t count;
	size_t *first; /* by thread: index of its first part; one more at the end */
	size_t thread_count;
	/* the sleeps that another thread ended, in order of their ends: indices of parts */
	uint32_t *woken;
	size_t woken_count;
	bool has_gaps; /* records were lost */
};

/*
 * Builds it from moments in order of time. Threads are known by ids, from 0. What no moment shows
 * is LOST. Returns false if out of memory. Finish it in both cases.
 */
SPROF_MUST_USE bool sprof_critical_graph_build(const struct sprof_moment *moments, size_t count,
	uint64_t begin_ns, uint64_t end_ns, struct sprof_critical_graph *ret);
void sprof_critical_graph_finish(struct sprof_critical_graph *graph);

/*
 * The thread's part at a time; at a border, the one that ends there. SPROF_CRITICAL_NONE: it has
 * none yet, or none at all.
 */
uint32_t sprof_critical_part_at(
	const struct sprof_critical_graph *graph, uint32_t thread, uint64_t time_ns);

/*
 * Where a path ends: of a thread that lives on, where the recording ends, even asleep; else where
 * it ran last, or ended among lost records.
 */
struct sprof_critical_end {
	uint32_t thread; /* SPROF_CRITICAL_NONE: there is none */
	uint64_t time_ns;
	uint64_t ran_ns; /* until when it ran; 0: it did not */
};

/* `thread` SPROF_CRITICAL_NONE: of all threads the one that ran last, of those that live on if any. */
struct sprof_critical_end sprof_critical_end_of(
	const struct sprof_critical_graph *graph, uint32_t thread);
/* Whether the first one is a better end. */
bool sprof_critical_is_later(
	const struct sprof_critical_end *end, const struct sprof_critical_end *other);
