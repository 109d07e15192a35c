/* Phrases for differences. profile/compare/comparison.c finds the cause. */
#include "output/comparison-words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "output/clean.h"
#include "output/units.h"

static struct sprof_figure figure(
	const struct sprof_profile *joined, enum sprof_weight weight, double value)
{
	return sprof_figure_value(joined, weight, (uint64_t)(fabs(value) + 0.5));
}

struct sprof_change_text sprof_change_words(const struct sprof_profile *joined,
	enum sprof_weight weight, const struct sprof_compared sides[SPROF_SIDES])
{
	const double before = sides[SPROF_SIDE_BASE].median, now = sides[SPROF_SIDE_NEW].median;
	struct sprof_change_text words;
	char factor[32] = "";

	if (before > 0)
		snprintf(factor, sizeof(factor), ", %.2f x", now / before);
	snprintf(words.text, sizeof(words.text), "%s %s, %s before, %s now%s",
		figure(joined, weight, now - before).text, now < before ? "less" : "more",
		figure(joined, weight, before).text, figure(joined, weight, now).text, factor);
	return words;
}

/*
 * The largest change that can be a cause and is more than chance; with few runs, one that may be
 * more.
 */
static const struct sprof_comparison_row *find_cause(const struct sprof_comparison *comparison)
{
	for (size_t i = comparison->cause; i < comparison->count; i++) {
		const struct sprof_comparison_row *row = &comparison->rows[i];

		if (row->is_cause && row->is_likely)
			return row;
	}
	return NULL;
}

/* Single runs do not show how much waits vary. */
static const char *no_cause(enum sprof_weight weight, const struct sprof_comparison *comparison)
{
	const bool has_waits =
		weight == SPROF_WEIGHT_WALL && comparison->runs[0] + comparison->runs[1] == 2;

	return has_waits ? "no function's CPU time has changed by more than chance; in all"
			 : "no function has changed by more than chance; in all";
}

char *sprof_comparison_sentence(const struct sprof_profile *joined, enum sprof_weight weight,
	const struct sprof_comparison *comparison)
{
	const struct sprof_comparison_row *cause = find_cause(comparison);
	const struct sprof_change_text words =
		sprof_change_words(joined, weight, cause ? cause->sides : comparison->whole);
	SPROF_AUTO_FREE char *name = cause
		? sprof_clean_text(joined->functions[cause->function].name, NULL)
		: strdup(no_cause(weight, comparison));

	return name ? sprof_string_print("%s: %s", name, words.text) : NULL;
}
