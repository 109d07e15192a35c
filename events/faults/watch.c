/*
 * Opens two events per thread, for minor and major faults. Together they count what
 * proc_pid_stat(5) reports as minflt and majflt (mm/memory.c: mm_account_fault), except faults
 * without registers, which the kernel takes when it looks up pages itself (get_user_pages) and, if
 * kernel events are not permitted, all other faults in kernel code. New threads inherit the events
 * from their first instruction on.
 */
#include "events/faults/watch.h"

#include <errno.h>
#include <unistd.h>

#include "events/perf/registers.h"
#include "events/perf/ring.h"
#include "events/perf/rings.h"

enum {
	MAJOR = 1, /* 0: minor */
	KINDS = SPROF_FAULT_KINDS,
	LARGE_RING = 16 << 20,
};

enum {
	RECORD_SIZE = SPROF_PERF_STACK_SIZE + 512, /* bytes, at most */
	LEAST_RECORDS = 2,                         /* that a ring has to hold */
};

/* Opens such an event and a ring for sprof itself, to test whether the target's may be opened. */
static bool may_open(struct perf_event_attr attributes, struct sprof_perf_denial *ret_denial)
{
	struct sprof_perf_ring ring = {0};
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	int fd;
	bool may;

	attributes.inherit = attributes.inherit_thread = 0;
	fd = sprof_perf_open(&attributes, 0, -1, ret_denial);
	if (fd < 0)
		return false;
	while (size < LEAST_RECORDS * RECORD_SIZE)
		size *= 2;
	may = sprof_perf_ring_map(&ring, fd, size, ret_denial);
	if (may && ring.size < size) {
		*ret_denial = (struct sprof_perf_denial){SPROF_PERF_NO_LOCKED_MEMORY, EPERM};
		may = false;
	}
	sprof_perf_ring_unmap(&ring);
	close(fd);
	return may;
}

static struct perf_event_attr attributes_of(const struct sprof_fault_watch *watch, int kind)
{
	struct perf_event_attr attributes = sprof_perf_attributes(PERF_TYPE_SOFTWARE,
		kind == MAJOR ? PERF_COUNT_SW_PAGE_FAULTS_MAJ : PERF_COUNT_SW_PAGE_FAULTS_MIN);

	sprof_perf_ask_stack(&attributes);
	/* In small rings, more records are worth more than the far end of a few deep stacks. */
	if (watch->rings.ring_size < LARGE_RING)
		attributes.sample_stack_user /= 2;
	attributes.sample_period = 1;
	attributes.inherit = 1;
	attributes.inherit_thread = !watch->follows_children;
	return attributes;
}

/* With those of the kernel if that is permitted. */
static bool settle_attributes(struct sprof_fault_watch *watch, struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr *minor = &watch->attributes[0];

	for (int kind = 0; kind < KINDS; kind++)
		watch->attributes[kind] = attributes_of(watch, kind);
	minor->exclude_kernel = 0;
	if (!may_open(*minor, ret_denial)) {
		if (ret_denial->reason != SPROF_PERF_PARANOID)
			return false;
		minor->exclude_kernel = 1;
		watch->is_of_users_only = true;
		if (!may_open(*minor, ret_denial))
			return false;
	}
	watch->attributes[MAJOR].exclude_kernel = minor->exclude_kernel;
	return true;
}

bool sprof_fault_watch_init(
	struct sprof_fault_watch *watch, bool follow_children, struct sprof_perf_denial *ret_denial)
{
	watch->follows_children = follow_children;
	if (!sprof_perf_rings_init(&watch->rings, ret_denial))
		return false;
	watch->rings.ring_size = sprof_perf_ring_size(watch->rings.cpus.count, true);
	watch->rings.largest_record = RECORD_SIZE;
	return settle_attributes(watch, ret_denial);
}

void sprof_fault_watch_finish(struct sprof_fault_watch *watch)
{
	sprof_perf_rings_finish(&watch->rings);
	sprof_idmap_finish(&watch->kinds);
}

/* Periods that we choose are powers of two. */
static uint32_t kind_value(const struct sprof_fault_watch *watch, int kind, uint64_t period)
{
	const unsigned log2 = (unsigned)__builtin_ctzll(period);

	return (watch->period ? 0 : log2) * KINDS + (uint32_t)kind;
}

/* Returns false if some of its events are missing. A thread that is gone misses none. */
static bool open_thread(struct sprof_fault_watch *watch, pid_t tid, uint64_t period)
{
	struct sprof_perf_denial denial;
	bool is_whole = true;
	uint64_t id;

	for (int kind = 0; kind < KINDS; kind++) {
		struct perf_event_attr attributes = watch->attributes[kind];
		const size_t first = watch->rings.fd_count;

		attributes.sample_period = period;
		if (!sprof_perf_rings_add(&watch->rings, &attributes, tid, &denial) &&
			denial.reason != SPROF_PERF_GONE)
			is_whole = false;
		for (size_t i = first; i < watch->rings.fd_count; i++) {
			if (sprof_perf_rings_id(&watch->rings, i, &id) &&
				!sprof_idmap_put(
					&watch->kinds, 0, id, kind_value(watch, kind, period)))
				watch->out_of_memory = true;
		}
	}
	return is_whole;
}

uint32_t sprof_fault_watch_open(
	struct sprof_fault_watch *watch, struct sprof_target *target, uint64_t period)
{
	struct sprof_thread **threads;
	uint32_t missing = 0;
	size_t count;

	threads = sprof_target_threads(target, &count);
	for (size_t i = 0; i < count; i++)
		missing += !open_thread(watch, threads[i]->tid, period);
	return missing;
}

/* Closes events that were opened twice: their faults are in records of others. */
static void forget_events(struct sprof_fault_watch *watch, size_t first)
{
	uint64_t id;

	for (size_t i = first; i < watch->rings.fd_count; i++) {
		if (sprof_perf_rings_id(&watch->rings, i, &id))
			sprof_idmap_remove(&watch->kinds, 0, id);
	}
}

/*
 * The kernel can change the period of an event, but not of copies that threads have inherited. So
 * all threads get new events, and then the old ones are closed. A thread born in between may have
 * neither: its faults are missed. If there are not enough descriptors for both, the old events
 * stay.
 */
bool sprof_fault_watch_change(
	struct sprof_fault_watch *watch, struct sprof_target *target, uint64_t period)
{
	const size_t former = watch->rings.fd_count;

	if (!sprof_fault_watch_open(watch, target, period)) {
		sprof_perf_rings_retire(&watch->rings, former);
		return true;
	}
	forget_events(watch, former);
	sprof_perf_rings_drop(&watch->rings, former);
	return false;
}

struct sprof_fault_count sprof_fault_watch_weight(
	const struct sprof_fault_watch *watch, const struct sprof_perf_record *record)
{
	const uint32_t value = sprof_idmap_find(&watch->kinds, 0, record->id);
	uint64_t weight = watch->period;

	if (value == SPROF_IDMAP_NONE)
		return (struct sprof_fault_count){0};
	if (!weight)
		weight = UINT64_C(1) << value / KINDS;
	return value % KINDS == MAJOR ? (struct sprof_fault_count){.major = weight}
				      : (struct sprof_fault_count){.minor = weight};
}
