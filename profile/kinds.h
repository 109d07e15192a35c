/*
 * What a profile counts: a list of kinds of values. The first are samples and the classes of time,
 * which every row of a recording has (struct sprof_metrics). Further kinds are another tool's, or
 * anything else that is counted: their values are beside the rows, one of each kind per row.
 *
 * A weight is what a report is by: a kind, or a sum of several kinds of time ("wall", "wait").
 * Further kinds are the weights from SPROF_WEIGHT_FURTHER on. Views and formats show one weight at
 * a time.
 */
#ifndef SPROF_PROFILE_KINDS_H
#define SPROF_PROFILE_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/weight.h"

enum {
	SPROF_KINDS_MAX = 32 /* the most kinds of values in a file */
};

/* How successive values of one row are combined. Values of several rows add up. */
enum sprof_fold {
	SPROF_FOLD_SUM,
	SPROF_FOLD_LAST,
	SPROF_FOLD_MAX,
};

struct sprof_kind {
	const char *name, *unit; /* "alloc_space", "bytes" */
	enum sprof_fold fold;
};

struct sprof_kinds {
	/* Samples and the classes of time are among them. Otherwise only threads have times. */
	bool has_times;
	/* Set before the first row. */
	struct sprof_kind further[SPROF_KINDS_MAX];
	size_t further_count;
	bool are_lower_bounds;   /* the further ones; a saved profile does not say so */
	enum sprof_weight shown; /* unless another one is requested */
	uint64_t *values;        /* further_count for each row; 0 past the end */
	size_t value_count, value_capacity;
};

struct sprof_profile;

/* Whether the profile says where time went, like a recording. */
bool sprof_profile_counts_time(const struct sprof_profile *profile);

/* All weights of the profile: from the first up to the end. */
struct sprof_weights {
	enum sprof_weight first, end;
};
struct sprof_weights sprof_profile_weights(const struct sprof_profile *profile);

/* "wall", or a further kind's name; its unit, "nanoseconds" or "count" or the kind's own word. */
const char *sprof_profile_weight_name(
	const struct sprof_profile *profile, enum sprof_weight weight);
const char *sprof_profile_weight_unit(
	const struct sprof_profile *profile, enum sprof_weight weight);
/* The weight of that name. False: the profile has none. */
bool sprof_profile_find_weight(
	const struct sprof_profile *profile, const char *name, enum sprof_weight *ret_weight);

/* A row's value of a further kind; `kind` is its index among them. */
uint64_t sprof_profile_further(const struct sprof_profile *profile, size_t row, size_t kind);
/* Folds one value of each further kind into a row. False: no memory. */
SPROF_MUST_USE bool sprof_profile_add_further(
	struct sprof_profile *profile, uint32_t row, const uint64_t *values);

/*
 * Adds one value of each further kind while a recording goes on: for a thread, by the sampler's id, and
 * a stack that the sink has given; or, if that is not NULL, for a frame that is only a name. False: no
 * memory.
 */
SPROF_MUST_USE bool sprof_profile_add_values(struct sprof_profile *profile, uint32_t thread,
	uint32_t stack, const char *frame, const uint64_t *values);

/* Whether both count the same, and show the same. */
bool sprof_kinds_are_same(const struct sprof_kinds *a, const struct sprof_kinds *b);

#endif
