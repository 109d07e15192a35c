/* Extracts a part of a profile. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/model/profile.h"

/* A pattern of a function's name, and one of its shared object's path (profile/model/objects.h). */
struct sprof_filter_place {
	const char *function, *object;
};

/*
 * What to keep. Patterns are POSIX extended regular expressions (regex(7)) that match anywhere in a
 * function's name; NULL: no condition.
 */
struct sprof_filter {
	struct sprof_filter_place focus;  /* keep stacks with a matching function */
	struct sprof_filter_place ignore; /* drop stacks with a matching function */
	struct sprof_filter_place hide;   /* remove matching functions from stacks */
	/* Attributes time in shared libraries and the kernel to the innermost function of a
	 * program; stacks without such a function stay. */
	bool charge_callers;
	/* threads with a matching name, or this id; their time without a sample is [unsampled] */
	const char *thread;
	pid_t pid;       /* threads of this process; 0: all */
	unsigned states; /* bits by enum sprof_state; 0: all */
	/* NAME=PATTERN: samples with a label of this name and a matching value */
	const char *label;
	uint64_t from_ns, to_ns; /* samples of this time since the start, unless to_ns is 0 */
};

bool sprof_filter_is_empty(const struct sprof_filter *filter);

/*
 * The caller destroys *ret. Fails on an invalid pattern (kind USAGE), on a time range without a
 * timeline (kind UNSUPPORTED), and if a filter removes all samples (kind NOT_FOUND; the hint lists
 * existing names).
 */
SPROF_MUST_USE bool sprof_profile_filter(const struct sprof_profile *profile,
	const struct sprof_filter *filter, struct sprof_profile **ret, struct sprof_error *err);
