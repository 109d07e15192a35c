/*
 * The edit distance of two words: letters deleted, inserted, replaced, or two neighbours swapped
 * (restricted Damerau-Levenshtein). Words longer than MOST have no near candidates.
 */
#include "base/nearest.h"

#include <string.h>

enum { MOST = 31 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static unsigned distance(const char *one, const char *other)
{
	size_t rows = strlen(one), columns = strlen(other);
	unsigned cost[MOST + 1][MOST + 1];

	for (size_t i = 0; i <= rows; i++) {
		for (size_t k = 0; k <= columns; k++) {
			if (!i || !k) {
				cost[i][k] = (unsigned)(i + k);
				continue;
			}
			cost[i][k] = least(cost[i - 1][k], cost[i][k - 1]) + 1;
			cost[i][k] = least(
				cost[i][k], cost[i - 1][k - 1] + (one[i - 1] != other[k - 1]));
			if (i > 1 && k > 1 && one[i - 1] == other[k - 2] &&
				one[i - 2] == other[k - 1])
				cost[i][k] = least(cost[i][k], cost[i - 2][k - 2] + 1);
		}
	}
	return cost[rows][columns];
}

void sprof_nearest_try(struct sprof_nearest *nearest, const char *candidate)
{
	size_t length = strlen(nearest->word);
	unsigned near;

	if (length > MOST || strlen(candidate) > MOST)
		return;
	near = distance(nearest->word, candidate);
	/* Allows one error per three letters, but not another word. */
	if (near > (length < 3 ? 1 : length / 3) || (nearest->found && near >= nearest->distance))
		return;
	nearest->found = candidate;
	nearest->distance = near;
}
