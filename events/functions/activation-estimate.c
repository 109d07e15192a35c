/*
 * Scales figures. A function's counts and self time are the sums over its callers, also after
 * rounding. Does not compute the factors.
 */
#include "events/functions/activation-estimate.h"

#include <math.h>

static void add_scaled(uint64_t *to, uint64_t seen, double factor)
{
	*to += (uint64_t)llround((double)seen * factor);
}

static void add_counts(struct sprof_activation_row *to, const struct sprof_activation_row *seen,
	const struct sprof_activation_factors *factors)
{
	for (int i = 0; i < SPROF_ACTIVATION_ENDS; i++)
		add_scaled(&to->ends[i], seen->ends[i], factors->calls);
	add_scaled(&to->nested, seen->nested, factors->calls);
	add_scaled(&to->self_ns, seen->self_ns, factors->time);
}

static bool add_row(const struct sprof_activation_estimate *estimate,
	const struct sprof_activation_row *seen, struct sprof_activation_books *to)
{
	const struct sprof_activation_factors factors =
		estimate->factors(estimate->data, seen->thread);
	struct sprof_activation_row *row;
	uint32_t own, index;

	if (!sprof_activation_books_row(
		    to, seen->thread, seen->function, SPROF_ACTIVATION_ANY, &own) ||
		!sprof_activation_books_row(to, seen->thread, seen->function, seen->caller, &index))
		return false;
	row = &to->rows[index];
	add_scaled(&row->total_ns, seen->total_ns, factors.time);
	if (seen->deepest > row->deepest)
		row->deepest = seen->deepest;
	row->unpaired += seen->unpaired;
	if (seen->caller != SPROF_ACTIVATION_ANY) {
		add_counts(row, seen, &factors);
		add_counts(&to->rows[own], seen, &factors);
	}
	return sprof_histogram_merge_scaled(&row->whole, &seen->whole, factors.calls);
}

static bool add_calls(const struct sprof_activation_books *seen, struct sprof_activation_books *to)
{
	const uint32_t before = (uint32_t)to->call_count;
	uint32_t index;

	for (size_t i = 0; i < seen->call_count; i++) {
		struct sprof_activation call = seen->calls[i];

		if (call.caller != SPROF_ACTIVATION_NONE)
			call.caller += before;
		if (!sprof_activation_books_keep(to, &call, &index))
			return false;
	}
	to->dropped += seen->dropped;
	return true;
}

bool sprof_activation_estimate_add(
	const struct sprof_activation_estimate *estimate, struct sprof_activation_books *to)
{
	const struct sprof_activation_books *seen = estimate->seen;

	for (size_t i = 0; i < seen->row_count; i++) {
		if (!add_row(estimate, &seen->rows[i], to))
			return false;
	}
	return add_calls(seen, to);
}
