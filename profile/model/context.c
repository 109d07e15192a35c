/*
 * What a context's texts say about its lock. Handles only texts that profile/names/name-waits.c writes
 * for locks.
 */
#include <string.h>

#include "profile/model/profile.h"

bool sprof_profile_is_join(const struct sprof_profile_context *context)
{
	return context->object &&
		strcmp(context->object, sprof_lock_kind_name(SPROF_LOCK_JOIN)) == 0;
}

bool sprof_profile_is_own_lock(const struct sprof_profile_context *context)
{
	return context->syscall && strcmp(context->syscall, "futex") == 0 && context->object &&
		strncmp(context->object, SPROF_PROFILE_SHARED, strlen(SPROF_PROFILE_SHARED)) != 0;
}
