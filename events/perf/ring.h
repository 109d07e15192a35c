/*
 * The ring buffer in which the kernel writes a perf event's records (perf_event_open(2), "MMAP
 * layout").
 */
#pragma once

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/perf/event.h"
#include "events/perf/record.h"

/* Zeroed is not mapped. */
struct sprof_perf_ring {
	struct perf_event_mmap_page *page; /* NULL: not mapped */
	unsigned char *data;
	size_t size;       /* of the data, a power of two */
	int fd;            /* the event that the ring was mapped for; not owned */
	uint64_t position; /* of the next record: the kernel's running byte count */
	uint64_t last_ns;  /* time of the last record taken */
	/* samples contain the kernel's stack; set by the code that mapped the ring */
	bool has_chains;
};

/*
 * Maps a ring of at most `size` bytes (a power of two, at least one page) for an event. The ring is
 * smaller if limits of locked memory (perf_event_mlock_kb, RLIMIT_MEMLOCK) require it.
 */
SPROF_MUST_USE bool sprof_perf_ring_map(
	struct sprof_perf_ring *ring, int fd, size_t size, struct sprof_perf_denial *ret_denial);

void sprof_perf_ring_unmap(struct sprof_perf_ring *ring);

/*
 * Takes the next record. `scratch` has SPROF_PERF_RECORD_MAX bytes, for a record that wraps around
 * the ring's end. The record's raw bytes are valid until the next take or release. Returns false if
 * the ring is empty. After corrupt bytes the rest is dropped and reported as LOST.
 */
SPROF_MUST_USE bool sprof_perf_ring_take(
	struct sprof_perf_ring *ring, unsigned char *scratch, struct sprof_perf_record *ret);

/*
 * Whether the ring is so full that the kernel may have dropped a record of up to `largest` bytes.
 * The kernel reports a loss only with the next record that fits.
 */
bool sprof_perf_ring_is_full(const struct sprof_perf_ring *ring, size_t largest);

/* Frees the space of the records taken. */
void sprof_perf_ring_release(struct sprof_perf_ring *ring);
