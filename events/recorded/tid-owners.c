/*
 * The owners of a tid form a chain, latest first. A traced thread keeps its tid until sprof has
 * seen its end or an exec, and the next owner has it from then on; so only ends have times. Does
 * not handle tids of other programs.
 */
#include "events/recorded/tid-owners.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"

/* How long a thread may take to exit on a busy machine. */
static const uint64_t LEAVING_NS = SPROF_NS_PER_S;

void sprof_tid_owners_finish(struct sprof_tid_owners *owners)
{
	sprof_idmap_finish(&owners->by_tid);
	free(owners->items);
	*owners = (struct sprof_tid_owners){0};
}

static uint32_t last_of(const struct sprof_tid_owners *owners, pid_t tid)
{
	return sprof_idmap_find(&owners->by_tid, 0, (uint64_t)tid);
}

/*
 * Finds an entry for one more owner. Reuses entries that will not be looked up again, so there are
 * never many more than tids.
 */
static bool find_place(struct sprof_tid_owners *owners, uint32_t last, uint32_t *ret)
{
	const uint32_t before =
		last == SPROF_IDMAP_NONE ? SPROF_IDMAP_NONE : owners->items[last].before;

	if (before != SPROF_IDMAP_NONE && owners->items[before].until_ns < owners->settled_ns) {
		owners->items[last].before = owners->items[before].before;
		*ret = before;
		return true;
	}
	if (!sprof_array_reserve(
		    &owners->items, &owners->capacity, owners->count + 1, sizeof(*owners->items)))
		return false;
	*ret = (uint32_t)owners->count++;
	return true;
}

bool sprof_tid_owners_begin(
	struct sprof_tid_owners *owners, pid_t tid, uint32_t thread, uint64_t seen_ns)
{
	const uint32_t last = last_of(owners, tid);
	uint32_t place;

	if (last != SPROF_IDMAP_NONE && owners->items[last].thread == thread)
		return true;
	if (last != SPROF_IDMAP_NONE && owners->items[last].until_ns == UINT64_MAX)
		owners->items[last].until_ns = seen_ns;
	if (!find_place(owners, last, &place) ||
		!sprof_idmap_put(&owners->by_tid, 0, (uint64_t)tid, place))
		return false;
	owners->items[place] = (struct sprof_tid_owner){thread, last, .until_ns = UINT64_MAX};
	return true;
}

bool sprof_tid_owners_know(struct sprof_tid_owners *owners, const struct sprof_target *target)
{
	struct sprof_thread **threads;
	size_t count;

	threads = sprof_target_threads(target, &count);
	for (size_t i = 0; i < count; i++) {
		if (!sprof_tid_owners_begin(
			    owners, threads[i]->tid, threads[i]->id, threads[i]->seen_ns))
			return false;
	}
	return true;
}

bool sprof_tid_owners_end(
	struct sprof_tid_owners *owners, pid_t tid, uint32_t thread, uint64_t time_ns)
{
	uint32_t index = last_of(owners, tid);

	/* The next one may be known already. */
	while (index != SPROF_IDMAP_NONE && owners->items[index].thread != thread)
		index = owners->items[index].before;
	if (index == SPROF_IDMAP_NONE) {
		if (!sprof_tid_owners_begin(owners, tid, thread, time_ns))
			return false;
		index = last_of(owners, tid);
	}
	if (owners->items[index].until_ns == UINT64_MAX)
		owners->items[index].until_ns = time_ns;
	return true;
}

static uint64_t later(uint64_t time_ns)
{
	return time_ns > UINT64_MAX - LEAVING_NS ? UINT64_MAX : time_ns + LEAVING_NS;
}

uint32_t sprof_tid_owners_find(const struct sprof_tid_owners *owners, pid_t tid, uint64_t time_ns)
{
	uint32_t index = last_of(owners, tid), found;

	if (index == SPROF_IDMAP_NONE || time_ns > later(owners->items[index].until_ns))
		return SPROF_IDMAP_NONE;
	do {
		found = owners->items[index].thread;
		index = owners->items[index].before;
	} while (index != SPROF_IDMAP_NONE && time_ns <= owners->items[index].until_ns);
	return found;
}
