/*
 * Facts about runtimes, libraries and servers: what a thread in one of their functions waits for.
 * An event loop and a lock may use the same call, so only the code above the wait distinguishes
 * them.
 */
#pragma once

#include <stdint.h>

#include "profile/model/profile.h"

struct sprof_wait_fact {
	const char *start; /* start of the function's name; with '$' at the end, the whole name */
	/* IDLE: waits for work; LOCK; IO: an answer */
	enum sprof_wait_kind kind;
	const char *object; /* what it waits for, if that is not the call's object; or NULL */
};

struct sprof_known_wait {
	const struct sprof_wait_fact *fact; /* NULL: nothing is known of these functions */
	uint32_t function;                  /* NONE: another function is waiting */
	const struct sprof_profile_line *line;
};

/* Looks up the innermost known function of the stack, up to the program's own code. */
struct sprof_known_wait sprof_known_wait_of(const struct sprof_profile *profile, uint32_t stack);
