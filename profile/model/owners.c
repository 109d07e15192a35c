/* Looks up threads of events, and names. Does not determine an event's thread (events/). */
#include "profile/model/owners.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* foreign programs that come and go while the whole machine is recorded */
enum { MOST_FOREIGN = 65536 };

void sprof_owners_finish(struct sprof_owners *owners)
{
	sprof_idmap_finish(&owners->by_tid);
	free(owners->foreign);
	*owners = (struct sprof_owners){0};
}

const struct sprof_profile_thread *sprof_owner(const struct sprof_profile *profile, uint32_t id)
{
	const uint32_t index = sprof_profile_thread_of(profile, id);

	return index == SPROF_PROFILE_NONE ? NULL : &profile->threads[index];
}

bool sprof_owners_have(struct sprof_owners *owners, int64_t tid, bool *ret)
{
	const struct sprof_profile *profile = owners->profile;
	bool done = true;

	for (; done && profile && owners->known < profile->thread_count; owners->known++)
		done = sprof_idmap_put(
			&owners->by_tid, 1, (uint64_t)profile->threads[owners->known].tid, 0);
	*ret = sprof_idmap_find(&owners->by_tid, 1, (uint64_t)tid) != SPROF_IDMAP_NONE;
	return done;
}

static bool is_tid(int64_t tid)
{
	return tid > 0 && tid <= INT32_MAX;
}

static uint32_t find_foreign(const struct sprof_owners *owners, int64_t tid)
{
	return sprof_idmap_find(&owners->by_tid, 0, (uint64_t)tid);
}

bool sprof_owners_add(struct sprof_owners *owners, int64_t tid)
{
	struct sprof_foreign_thread *found;

	if (!is_tid(tid) || owners->foreign_count >= MOST_FOREIGN ||
		find_foreign(owners, tid) != SPROF_IDMAP_NONE)
		return true;
	if (!sprof_array_reserve(&owners->foreign, &owners->foreign_capacity,
		    owners->foreign_count + 1, sizeof(*owners->foreign)) ||
		!sprof_idmap_put(
			&owners->by_tid, 0, (uint64_t)tid, (uint32_t)owners->foreign_count))
		return false;
	found = &owners->foreign[owners->foreign_count++];
	if (sprof_proc_read_file((pid_t)tid, 0, "comm", found->name, sizeof(found->name)) <= 0)
		found->name[0] = '\0';
	found->name[strcspn(found->name, "\n")] = '\0';
	return true;
}

const char *sprof_owners_name(const struct sprof_owners *owners, int64_t tid)
{
	const struct sprof_profile *profile = owners->profile;
	const uint32_t found = find_foreign(owners, tid);

	for (size_t i = profile ? profile->thread_count : 0; i; i--) {
		if (profile->threads[i - 1].tid == tid)
			return profile->threads[i - 1].name;
	}
	if (!tid)
		return "swapper"; /* the kernel's, of each idle CPU */
	return found == SPROF_IDMAP_NONE || !owners->foreign[found].name[0]
		? "?"
		: owners->foreign[found].name;
}
