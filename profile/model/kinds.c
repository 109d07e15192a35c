/*
 * The kinds of values of a profile, and the values of further kinds. Does not handle their sources,
 * nor the report's choice.
 */
#include "profile/model/kinds.h"

#include <assert.h>
#include <string.h>

#include "base/array.h"
#include "profile/model/profile.h"

bool sprof_profile_counts_time(const struct sprof_profile *profile)
{
	return profile->kinds.has_times;
}

struct sprof_weights sprof_profile_weights(const struct sprof_profile *profile)
{
	const struct sprof_kinds *kinds = &profile->kinds;

	return (struct sprof_weights){
		.first = kinds->has_times ? SPROF_WEIGHT_SAMPLES : SPROF_WEIGHT_FURTHER,
		.end = (enum sprof_weight)(SPROF_WEIGHT_FURTHER + kinds->further_count),
	};
}

/* NULL: it is not a further kind. */
static const struct sprof_kind *further_of(
	const struct sprof_profile *profile, enum sprof_weight weight)
{
	size_t kind = (size_t)weight - SPROF_WEIGHT_FURTHER;

	return sprof_weight_is_further(weight) && kind < profile->kinds.further_count
		? &profile->kinds.further[kind]
		: NULL;
}

const char *sprof_profile_weight_name(const struct sprof_profile *profile, enum sprof_weight weight)
{
	const struct sprof_kind *kind = further_of(profile, weight);

	return kind ? kind->name : sprof_weight_name(weight);
}

const char *sprof_profile_weight_unit(const struct sprof_profile *profile, enum sprof_weight weight)
{
	const struct sprof_kind *kind = further_of(profile, weight);

	if (kind)
		return kind->unit;
	return sprof_weight_is_time(weight) ? "nanoseconds" : "count";
}

bool sprof_profile_find_weight(
	const struct sprof_profile *profile, const char *name, enum sprof_weight *ret_weight)
{
	const struct sprof_weights weights = sprof_profile_weights(profile);

	for (enum sprof_weight weight = weights.first; weight < weights.end; weight++) {
		if (strcmp(sprof_profile_weight_name(profile, weight), name) == 0) {
			*ret_weight = weight;
			return true;
		}
	}
	return false;
}

uint64_t sprof_profile_further(const struct sprof_profile *profile, size_t row, size_t kind)
{
	const struct sprof_kinds *kinds = &profile->kinds;
	const size_t at = row * kinds->further_count + kind;

	return at < kinds->value_count ? kinds->values[at] : 0;
}

static uint64_t fold(enum sprof_fold how, uint64_t before, uint64_t value)
{
	switch (how) {
	case SPROF_FOLD_LAST:
		return value;
	case SPROF_FOLD_MAX:
		return value > before ? value : before;
	case SPROF_FOLD_SUM:
		break;
	}
	return before + value;
}

bool sprof_profile_add_further(struct sprof_profile *profile, uint32_t row, const uint64_t *values)
{
	struct sprof_kinds *kinds = &profile->kinds;
	const size_t count = kinds->further_count, first = row * count;

	assert(row < profile->row_count);
	if (!sprof_array_reserve(&kinds->values, &kinds->value_capacity, profile->row_count * count,
		    sizeof(*kinds->values)))
		return false;
	kinds->value_count = profile->row_count * count;
	for (size_t i = 0; i < count; i++)
		kinds->values[first + i] =
			fold(kinds->further[i].fold, kinds->values[first + i], values[i]);
	if (sprof_weight_is_further(kinds->shown))
		profile->rows[row].metrics.further =
			kinds->values[first + kinds->shown - SPROF_WEIGHT_FURTHER];
	return true;
}

bool sprof_kinds_are_same(const struct sprof_kinds *a, const struct sprof_kinds *b)
{
	bool same = a->has_times == b->has_times && a->further_count == b->further_count &&
		a->shown == b->shown;

	for (size_t i = 0; same && i < a->further_count; i++)
		same = strcmp(a->further[i].name, b->further[i].name) == 0 &&
			strcmp(a->further[i].unit, b->further[i].unit) == 0;
	return same;
}
