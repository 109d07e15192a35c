/*
 * The size of the rings of perf events, by what the user may lock.
 */
#ifndef SPROF_EVENTS_PERF_RING_SIZE_H
#define SPROF_EVENTS_PERF_RING_SIZE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether we may lock any amount of memory, whoever we are (CAP_IPC_LOCK). */
bool sprof_perf_may_lock_all(void);

/*
 * The bytes of the ring of each of `cpus` CPUs: a power of two. `has_stacks`: records have copies of
 * stacks.
 */
size_t sprof_perf_ring_size(size_t cpus, bool has_stacks);

#endif
