/*
 * What a profile counts: a list of kinds of values. The first kinds are samples and the classes of
 * time, present in every row of a recording (struct sprof_metrics). Further kinds come from other
 * tools or count other things; their values are stored beside the rows, one per kind and row.
 *
 * A weight selects what a report shows: a kind, or a sum of several kinds of time ("wall", "wait").
 * Weights from SPROF_WEIGHT_FURTHER on are the further kinds. Views and formats show one weight at
 * a time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "profile/model/weight.h"

enum {
	SPROF_KINDS_MAX = 32 /* largest number of kinds in a file */
};

/* How successive values of a row combine. Values of different rows add up. */
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
	/* The kinds include samples and the classes of time. If false, only threads have times. */
	bool has_times;
	/* Set before the first row is added. */
	struct sprof_kind further[SPROF_KINDS_MAX];
	size_t further_count;
	/* Of further kinds; not stored in saved profiles: */
	bool are_lower_bounds;
	/* standard error of their sums, which are estimates; 0: exact; UINT_MAX: unknown */
	unsigned error_percent;
	enum sprof_weight shown; /* the default weight */
	uint64_t *values;        /* further_count per row; 0 beyond the end */
	size_t value_count, value_capacity;
};

struct sprof_profile;

/* Whether the profile contains time, like a recording. */
bool sprof_profile_counts_time(const struct sprof_profile *profile);

/* The range of the profile's weights: first, and one after the last. */
struct sprof_weights {
	enum sprof_weight first, end;
};
struct sprof_weights sprof_profile_weights(const struct sprof_profile *profile);

/*
 * The weight's name: "wall", or a further kind's name; and its unit: "nanoseconds", "count", or the
 * kind's.
 */
const char *sprof_profile_weight_name(
	const struct sprof_profile *profile, enum sprof_weight weight);
const char *sprof_profile_weight_unit(
	const struct sprof_profile *profile, enum sprof_weight weight);
/* Finds a weight by name. Returns false if the profile has none. */
bool sprof_profile_find_weight(
	const struct sprof_profile *profile, const char *name, enum sprof_weight *ret_weight);

/* A row's value of a further kind; `kind` is an index in `further`. */
uint64_t sprof_profile_further(const struct sprof_profile *profile, size_t row, size_t kind);
/* Folds one value per further kind into a row. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_profile_add_further(
	struct sprof_profile *profile, uint32_t row, const uint64_t *values);

/*
 * Adds one value per further kind while recording, for a thread (the sampler's id) and either a
 * frame that is only a name or, if that is NULL, a stack (the sink's id). Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_profile_add_values(struct sprof_profile *profile, uint32_t thread,
	uint32_t stack, const char *frame, const uint64_t *values);

/* Whether both have the same kinds and the same default. */
bool sprof_kinds_are_same(const struct sprof_kinds *a, const struct sprof_kinds *b);
