/*
 * Perf events of many threads: each is opened on every CPU, and all of one CPU write into one ring.
 *
 * An event that new threads inherit can't have a ring of its own for all CPUs (kernel/events/core.c,
 * perf_mmap), so there is one per CPU. A ring takes 512 KiB, which perf_event_mlock_kb allows every
 * user for each CPU. A thread takes one descriptor per CPU.
 *
 * What no thread inherits and takes long to open, uprobes, is opened once for all CPUs, and its thread has
 * a ring of its own.
 */
#ifndef SPROF_EVENTS_PERF_RINGS_H
#define SPROF_EVENTS_PERF_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/cpus.h"
#include "events/perf-event.h"
#include "events/perf-record.h"
#include "events/perf-ring.h"

enum { SPROF_PERF_RING_SIZE = 512 * 1024 };

/* Zeroed is empty, and may be finished. */
struct sprof_perf_rings {
	struct sprof_cpus cpus;
	struct sprof_perf_ring *rings; /* by index of cpus */
	struct sprof_perf_own_ring {
		struct sprof_perf_ring ring;
		pid_t tid;
	} * own; /* of threads with single events */
	size_t own_count, own_capacity;
	size_t ring_size;      /* of rings that are still to be mapped */
	size_t largest_record; /* with the one about lost records */
	int *fds;
	size_t fd_count, fd_capacity;
	int *closing; /* given up, and still open */
	size_t closing_count, closing_capacity;
	bool is_slow_to_close; /* what is opened: probes */
	int poll_fd; /* becomes readable when a ring is half full; 0: there are no rings */
	unsigned char *scratch;
	uint64_t lost;           /* records so far */
	uint64_t retired_events; /* counted by events that are closed: sprof_perf_rings_retire() */
};

/*
 * Also raises the limit of descriptors as far as the user may. False: no memory, or the kernel does
 * not tell the CPUs; *ret_denial says OTHER with an errno.
 */
SPROF_MUST_USE bool sprof_perf_rings_init(
	struct sprof_perf_rings *rings, struct sprof_perf_denial *ret_denial);

void sprof_perf_rings_finish(struct sprof_perf_rings *rings);

/*
 * Opens the event of a thread, or of all threads (tid -1), on every CPU that is online. False:
 * nothing that was opened before is lost, but this thread may be covered in part.
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
 * Sets the filter of `count` descriptors from index `first` on, which are a tracepoint's: an
 * expression of its fields (Documentation/trace/events.rst). If the kernel refuses it, the old one
 * stays.
 */
void sprof_perf_rings_filter(
	const struct sprof_perf_rings *rings, size_t first, size_t count, const char *filter);

/* The kernel's id of the event behind the descriptor of an index, which its records have. */
SPROF_MUST_USE bool sprof_perf_rings_id(
	const struct sprof_perf_rings *rings, size_t index, uint64_t *ret);

/* Gives up an event that gives nothing more, unless its ring is others' too. */
void sprof_perf_rings_close(struct sprof_perf_rings *rings, size_t index);
/* Closes those that were given up. */
void sprof_perf_rings_flush(struct sprof_perf_rings *rings);

/*
 * The number of events that the kernel has counted, with and without a record, for all that was added
 * and not given up.
 */
uint64_t sprof_perf_rings_count(const struct sprof_perf_rings *rings);

/*
 * Ends the first `count` events, for the threads that have inherited them too, and closes them, except
 * for those whose rings are others', too. The rest moves down. Not for who keeps indexes.
 */
void sprof_perf_rings_retire(struct sprof_perf_rings *rings, size_t count);
/* Ends all events from an index on likewise, as if they had never been: they have counted nothing. */
void sprof_perf_rings_drop(struct sprof_perf_rings *rings, size_t first);

/* Ends the recording; what is in the rings stays there. */
void sprof_perf_rings_disable(const struct sprof_perf_rings *rings);

typedef void (*sprof_perf_taker)(void *data, const struct sprof_perf_record *record);

/*
 * Gives all records that are there to the taker: those of one CPU or thread in order of time, then the next
 * one's. A ring that was full gives one more LOST, up to now: at least one record.
 */
void sprof_perf_rings_drain(struct sprof_perf_rings *rings, sprof_perf_taker take, void *data);

#endif
