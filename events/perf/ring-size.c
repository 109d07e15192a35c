/*
 * Computes the size of perf rings. Does not consider other programs of the same user with rings:
 * mapping a ring detects that (ring.h).
 */
#include "events/perf/ring-size.h"

#include <linux/capability.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/proc-status.h"
#include "base/proc.h"
#include "events/perf/rings.h"

enum {
	LARGE_RING = 4 << 20,  /* for each CPU, where it is permitted */
	STACK_RING = 32 << 20, /* the same for records with stacks: some 2000 of them */
	ALL_RINGS = 256 << 20, /* with stacks, of all CPUs */
};

bool sprof_perf_may_lock_all(void)
{
	char status[SPROF_PROC_STATUS_MAX], value[32];

	return sprof_proc_status_read(SPROF_PROC_SELF, 0, status, sizeof(status)) > 0 &&
		sprof_proc_status_field(status, "CapEff", value, sizeof(value)) &&
		strtoull(value, NULL, 16) >> CAP_IPC_LOCK & 1;
}

/* A power of two. */
static size_t stack_ring_size(size_t cpus)
{
	size_t size = STACK_RING;

	while (size > LARGE_RING && size * cpus > ALL_RINGS)
		size /= 2;
	return size;
}

/*
 * A user has the share of perf_event_mlock_kb for each, and the limit of locked
 * memory for all together (kernel/events/core.c, perf_mmap).
 */
size_t sprof_perf_ring_size(size_t cpus, bool has_stacks)
{
	size_t size = SPROF_PERF_RING_SIZE, room = SPROF_PERF_RING_SIZE;
	struct rlimit limit;

	if (sprof_perf_may_lock_all() || getrlimit(RLIMIT_MEMLOCK, &limit) ||
		limit.rlim_cur == RLIM_INFINITY)
		return has_stacks ? stack_ring_size(cpus) : LARGE_RING;
	room += limit.rlim_cur / cpus;
	while (2 * size < room && size < LARGE_RING)
		size *= 2;
	return size;
}
