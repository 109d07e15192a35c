/*
 * Whose an event is: the threads that the profile knows, by their identity.
 */
#ifndef SPROF_CMD_OWNERS_H
#define SPROF_CMD_OWNERS_H

#include <stdint.h>

#include "profile/profile.h"

/* The thread with the id that events have (struct sprof_trace_event). NULL: none of the target's. */
const struct sprof_profile_thread *sprof_owner(const struct sprof_profile *profile, uint32_t id);

#endif
