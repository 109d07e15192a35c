/*
 * Perf events of many threads: each event is opened once per CPU, and all events of a CPU share one
 * ring.
 *
 * An inherited event can't have a ring for all CPUs (kernel/events/core.c, perf_mmap), hence one
 * ring per CPU. A ring takes 512 KiB, which perf_event_mlock_kb allows every user per CPU. Each
 * thread takes one descriptor per CPU.
 *
 * A uprobe, which no thread inherits and which takes long to open, is opened once for all CPUs,
 * with a separate ring for its thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/perf/cpus.h"
#include "events/perf/event.h"
#include "events/perf/record.h"
#include "events/perf/ring.h"

enum { SPROF_PERF_RING_SIZE = 512 * 1024 };

/* Zeroed is empty, and may be finished. */
struct sprof_perf_rings {
	struct sprof_cpus cpus;
	struct sprof_perf_ring *rings; /* by index of `cpus` */
	struct sprof_perf_own_ring {
		struct sprof_perf_ring ring;
		pid_t tid;
	} * own; /* of threads with single events */
	size_t own_count, own_capacity;
	size_t ring_size;      /* for rings not yet mapped */
	size_t largest_record; /* including the record of lost records */
	int *fds;
	size_t fd_count, fd_capacity;
	int *closing; /* given up, but not closed yet */
	size_t closing_count, closing_capacity;
	bool is_slow_to_close; /* the events are probes */
	int poll_fd; /* becomes readable when a ring is half full; 0: there are no rings */
	unsigned char *scratch;
	uint64_t lost;           /* total of lost records */
	uint64_t retired_events; /* counts of closed events: sprof_perf_rings_retire() */
};

/*
 * Also raises the descriptor limit as far as permitted. Returns false if out of memory, or if the
 * list of CPUs can't be read; *ret_denial is then OTHER with an errno.
 */
SPROF_MUST_USE bool sprof_perf_rings_init(
	struct sprof_perf_rings *rings, struct sprof_perf_denial *ret_denial);

void sprof_perf_rings_finish(struct sprof_perf_rings *rings);

/*
 * Opens the event for a thread, or for all threads (tid -1), on each online CPU. Returns false if
 * that failed on some CPU; what is open stays open.
 */
SPROF_MUST_USE bool sprof_perf_rings_add(struct sprof_perf_rings *rings,
	struct perf_event_attr *attributes, pid_t tid, struct sprof_perf_denial *ret_denial);

/* The same with one descriptor for all CPUs. New threads must not inherit the event. */
SPROF_MUST_USE bool sprof_perf_rings_add_single(struct sprof_perf_rings *rings,
	struct perf_event_attr *attributes, pid_t tid, struct sprof_perf_denial *ret_denial);
/* The thread has ended, and its ring has been drained: its single events may be closed. */
void sprof_perf_rings_end_single(struct sprof_perf_rings *rings, pid_t tid);

/* Begins the recording of events that were added as disabled ones, from an index on. */
void sprof_perf_rings_enable(const struct sprof_perf_rings *rings, size_t first);

/*
 * Sets the filter of `count` tracepoint descriptors from index `first` on: an expression over its
 * fields (Documentation/trace/events.rst). If the kernel rejects it, the old filter stays.
 */
void sprof_perf_rings_filter(
	const struct sprof_perf_rings *rings, size_t first, size_t count, const char *filter);

/* The kernel's id of the event at an index, as found in records. */
SPROF_MUST_USE bool sprof_perf_rings_id(
	const struct sprof_perf_rings *rings, size_t index, uint64_t *ret);

/* Gives up an event that produces no more records, unless other events use its ring. */
void sprof_perf_rings_close(struct sprof_perf_rings *rings, size_t index);
/* Closes the events that were given up. */
void sprof_perf_rings_flush(struct sprof_perf_rings *rings);

/*
 * The number of events counted by the kernel, recorded or not, over all events that are open or
 * retired.
 */
uint64_t sprof_perf_rings_count(const struct sprof_perf_rings *rings);

/*
 * Disables the first `count` events, including their inherited copies, and closes them unless other
 * events use their ring. The remaining events move down, so indices change.
 */
void sprof_perf_rings_retire(struct sprof_perf_rings *rings, size_t count);
/* Disables and removes all events from index `first` on, and discards their counts. */
void sprof_perf_rings_drop(struct sprof_perf_rings *rings, size_t first);

/* Stops recording; records in the rings stay there. */
void sprof_perf_rings_disable(const struct sprof_perf_rings *rings);

typedef void (*sprof_perf_taker)(void *data, const struct sprof_perf_record *record);

/*
 * Passes all records to the taker: one CPU or thread after the other, each in order of time. A ring
 * that was full yields an additional LOST record, up to now, with a count of 1.
 */
void sprof_perf_rings_drain(struct sprof_perf_rings *rings, sprof_perf_taker take, void *data);

/* Whether sprof may lock unlimited memory (CAP_IPC_LOCK). */
bool sprof_perf_may_lock_all(void);

/*
 * Bytes per ring for `cpus` rings: a power of two. `has_stacks`: records contain copies of stacks.
 */
size_t sprof_perf_ring_size(size_t cpus, bool has_stacks);
