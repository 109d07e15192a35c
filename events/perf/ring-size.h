/* The size of perf rings, within the user's limit of locked memory. */
#ifndef SPROF_EVENTS_PERF_RING_SIZE_H
#define SPROF_EVENTS_PERF_RING_SIZE_H

#include <stdbool.h>
#include <stddef.h>

/* Whether sprof may lock unlimited memory (CAP_IPC_LOCK). */
bool sprof_perf_may_lock_all(void);

/*
 * Bytes per ring for `cpus` rings: a power of two. `has_stacks`: records contain copies of stacks.
 */
size_t sprof_perf_ring_size(size_t cpus, bool has_stacks);

#endif
