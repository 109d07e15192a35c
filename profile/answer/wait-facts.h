/*
 * Facts about runtimes, libraries and servers: what a thread waits for in a function of theirs. Only
 * the code above a wait distinguishes an event loop from a lock, because both may use one call.
 */
#ifndef SPROF_PROFILE_ANSWER_WAIT_FACTS_H
#define SPROF_PROFILE_ANSWER_WAIT_FACTS_H

#include <stdint.h>

#include "profile/model/profile.h"

struct sprof_wait_fact {
	const char *start; /* of the function's name; the whole name if it ends in '$' */
	/* IDLE: waits for work; LOCK; IO: an answer */
	enum sprof_wait_kind kind;
	const char *object; /* what it waits for, if the call's object does not say it; NULL */
};

struct sprof_known_wait {
	const struct sprof_wait_fact *fact; /* NULL: nothing is known of these functions */
	uint32_t function;                  /* NONE: another function is waiting */
	const struct sprof_profile_line *line;
};

/* By the innermost known function of the stack, up to the program's own code. */
struct sprof_known_wait sprof_known_wait_of(const struct sprof_profile *profile, uint32_t stack);

#endif
