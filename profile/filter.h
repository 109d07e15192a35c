/*
 * A part of a profile, as a profile of its own.
 */
#ifndef SPROF_PROFILE_FILTER_H
#define SPROF_PROFILE_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "profile/profile.h"

/*
 * What to keep. Patterns are POSIX extended regular expressions (regex(7)) that match anywhere in a
 * function's name; NULL: no such condition.
 */
struct sprof_filter {
	const char *focus;  /* stacks with a function that matches */
	const char *ignore; /* not those */
	const char *hide;   /* functions that match are taken out of the stacks */
	const char *thread; /* threads whose name matches or whose id it is */
	pid_t pid;          /* threads of this process; 0: all */
	unsigned states;    /* bits by enum sprof_state; 0: all */
	const char *label;  /* NAME=PATTERN: samples with a label of this name that matches */
	uint64_t from_ns, to_ns; /* samples of this time since the start, if to_ns isn't 0 */
};

/* Whether a pattern is one (kind USAGE). */
bool sprof_filter_check(const char *pattern, struct sprof_error *err);

/* Whether a filter asks for anything. */
bool sprof_filter_is_empty(const struct sprof_filter *filter);

/*
 * *ret is the caller's to destroy. Fails on a pattern that is none, where samples are chosen by time and
 * the profile has no timeline (kinds USAGE and UNSUPPORTED), and where nothing of a profile that has samples
 * is left (kind NOT_FOUND); the hint names what there is.
 */
bool sprof_profile_filter(const struct sprof_profile *profile, const struct sprof_filter *filter,
	struct sprof_profile **ret, struct sprof_error *err);

#endif
