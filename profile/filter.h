/*
 * Makes a profile of a part of a profile.
 */
#ifndef SPROF_PROFILE_FILTER_H
#define SPROF_PROFILE_FILTER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/profile.h"

/*
 * What to keep. Patterns are POSIX extended regular expressions (regex(7)) that match anywhere in a
 * function's name; NULL: no condition.
 */
struct sprof_filter {
	const char *focus;  /* stacks with a function that matches */
	const char *ignore; /* stacks without such a function */
	const char *hide;   /* matching functions are taken out of the stacks */
	/* What is spent in shared libraries and in the kernel counts for the innermost function of a
	 * program; stacks without one stay. */
	bool charge_callers;
	/* the same by the path of the shared object that a frame is of (profile/objects.h) */
	const char *focus_dso, *ignore_dso, *hide_dso;
	/* threads with a matching name, or this id; what they have without a sample is [unsampled] */
	const char *thread;
	pid_t pid;       /* threads of this process; 0: all */
	unsigned states; /* bits by enum sprof_state; 0: all */
	const char
		*label; /* NAME=PATTERN: samples with a label of this name and a matching value */
	uint64_t from_ns, to_ns; /* samples of this time since the start, unless to_ns is 0 */
};

/* Whether a pattern is valid (kind USAGE). */
SPROF_MUST_USE bool sprof_filter_check(const char *pattern, struct sprof_error *err);

bool sprof_filter_is_empty(const struct sprof_filter *filter);

/*
 * The caller destroys *ret. Fails on an invalid pattern (kind USAGE), if samples are chosen by time
 * and the profile has no timeline (kind UNSUPPORTED), and if nothing is left of a profile that has
 * samples (kind NOT_FOUND); the hint names what there is.
 */
SPROF_MUST_USE bool sprof_profile_filter(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_profile **ret, struct sprof_error *err);

#endif
