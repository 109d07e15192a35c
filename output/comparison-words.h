/* Private to output/: phrases for comparisons. */
#pragma once

#include "base/attributes.h"
#include "profile/compare/comparison.h"

/*
 * "parse: 343.6 ms more, 1.055 s before, 1.399 s now, 1.33 x". The caller frees it. Returns NULL if
 * out of memory.
 */
SPROF_MUST_USE char *sprof_comparison_sentence(const struct sprof_profile *joined,
	enum sprof_weight weight, const struct sprof_comparison *comparison);

/* "343.6 ms more, 1.055 s before, 1.399 s now, 1.33 x"; from the sides' medians. */
struct sprof_change_text {
	char text[160];
};
struct sprof_change_text sprof_change_words(const struct sprof_profile *joined,
	enum sprof_weight weight, const struct sprof_compared sides[SPROF_SIDES]);
