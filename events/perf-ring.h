/*
 * The ring that the kernel writes the records of perf events into (perf_event_open(2), "MMAP
 * layout").
 */
#ifndef SPROF_EVENTS_PERF_RING_H
#define SPROF_EVENTS_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/perf-event.h"
#include "events/perf-record.h"

/* Zeroed is not mapped. */
struct sprof_perf_ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	unsigned char *data;
	size_t size;       /* of the data: a power of two */
	int fd;            /* the event that it was mapped for; not owned */
	uint64_t position; /* of the next record, as the kernel counts bytes */
	uint64_t last_ns;  /* of the record that was taken last */
	bool has_chains; /* samples have the kernel's stack: whoever has mapped the ring says so */
};

/*
 * Maps a ring of at most `size` bytes (a power of two, at least a page) for an event. Where the
 * limits of locked memory forbid that (perf_event_mlock_kb, RLIMIT_MEMLOCK), it is smaller.
 */
SPROF_MUST_USE bool sprof_perf_ring_map(
	struct sprof_perf_ring *ring, int fd, size_t size, struct sprof_perf_denial *ret_denial);

void sprof_perf_ring_unmap(struct sprof_perf_ring *ring);

/*
 * Takes the next record. `scratch` has SPROF_PERF_RECORD_MAX bytes, for a record that lies across
 * the ring's end. The record's raw bytes are valid until the next call of either function. False:
 * there is none now. Bytes that are no record are dropped with all behind them, and count as LOST.
 */
SPROF_MUST_USE bool sprof_perf_ring_take(
	struct sprof_perf_ring *ring, unsigned char *scratch, struct sprof_perf_record *ret);

/*
 * Whether the ring is so full now that the kernel may have dropped a record of at most `largest` bytes.
 * It tells of that only with the next record that fits.
 */
bool sprof_perf_ring_is_full(const struct sprof_perf_ring *ring, size_t largest);

/* Lets the kernel write over the records that were taken. */
void sprof_perf_ring_release(struct sprof_perf_ring *ring);

#endif
