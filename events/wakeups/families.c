/* Tables by ids, which count up from 0. */
#include "events/wakeups/families.h"

#include <stdlib.h>

#include "base/array.h"

void wakeup_families_finish(struct wakeup_families *families)
{
	free(families->members);
	free(families->processes);
	*families = (struct wakeup_families){0};
}

static struct wakeup_member *member_of(const struct wakeup_families *families, uint32_t thread)
{
	return thread < families->member_capacity && families->members[thread].is_known
		? &families->members[thread]
		: NULL;
}

bool wakeup_families_know(struct wakeup_families *families, const struct sprof_thread *thread)
{
	const uint32_t process = thread->process->id;

	if (member_of(families, thread->id))
		return true;
	if (!sprof_array_reserve(&families->members, &families->member_capacity,
		    (size_t)thread->id + 1, sizeof(*families->members)) ||
		!sprof_array_reserve(&families->processes, &families->process_capacity,
			(size_t)process + 1, sizeof(*families->processes)))
		return false;
	families->members[thread->id] = (struct wakeup_member){true, process, 0};
	families->processes[process].living++;
	return true;
}

bool wakeup_families_born(struct wakeup_families *families, const struct sprof_thread *creator,
	const struct sprof_thread *born)
{
	if (!wakeup_families_know(families, creator) || !wakeup_families_know(families, born))
		return false;
	if (creator->process != born->process)
		families->processes[born->process->id].parent = creator->process->id + 1;
	return true;
}

void wakeup_families_off(struct wakeup_families *families, uint32_t thread, uint64_t time_ns)
{
	struct wakeup_member *member = member_of(families, thread);

	if (member)
		member->off_ns = time_ns;
}

void wakeup_families_end(struct wakeup_families *families, uint32_t thread, uint64_t time_ns)
{
	const struct wakeup_member *member = member_of(families, thread);
	struct wakeup_family *own, *parent;

	if (!member)
		return;
	own = &families->processes[member->process];
	own->living -= own->living > 0;
	if (own->living || !own->parent)
		return;
	parent = &families->processes[own->parent - 1];
	parent->ended = thread + 1;
	parent->ended_ns = time_ns;
}

uint32_t wakeup_families_take_end(struct wakeup_families *families, uint32_t sleeper)
{
	const struct wakeup_member *member = member_of(families, sleeper);
	struct wakeup_family *own;
	uint32_t ended;

	if (!member)
		return UINT32_MAX;
	own = &families->processes[member->process];
	if (!own->ended || member->off_ns > own->ended_ns)
		return UINT32_MAX;
	ended = own->ended - 1;
	own->ended = 0;
	return ended;
}
