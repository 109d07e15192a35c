/*
 * Finds the threads of events. Does not handle which thread an event is of (events/).
 */
#include "cmd/owners.h"

const struct sprof_profile_thread *sprof_owner(const struct sprof_profile *profile, uint32_t id)
{
	const uint32_t index = sprof_profile_thread_of(profile, id);

	return index == SPROF_PROFILE_NONE ? NULL : &profile->threads[index];
}
