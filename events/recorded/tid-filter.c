/*
 * Merges tids into ranges until the filter fits. Does not handle field types: a filter compares
 * numbers.
 */
#include "events/recorded/tid-filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Per field: a range takes up to 2 * 32 bytes with the longest names and tids; for 2 fields. */
enum { MAX_RANGES = 24 };

struct range {
	pid_t first, last;
};

static int compare(const void *a, const void *b)
{
	const pid_t left = *(const pid_t *)a, right = *(const pid_t *)b;

	return left < right ? -1 : left > right;
}

/* Merges the two neighbours with the smallest distance between them. */
static void merge_nearest(struct range *ranges, size_t count)
{
	size_t nearest = 0;

	for (size_t i = 1; i + 1 < count; i++) {
		if (ranges[i + 1].first - ranges[i].last <
			ranges[nearest + 1].first - ranges[nearest].last)
			nearest = i;
	}
	ranges[nearest].last = ranges[nearest + 1].last;
	memmove(ranges + nearest + 1, ranges + nearest + 2,
		(count - nearest - 2) * sizeof(*ranges));
}

/* Merges the sorted tids into at most MAX_RANGES ranges. Tids above `last` need no range. */
static size_t make_ranges(const pid_t *tids, size_t count, pid_t last, struct range *ranges)
{
	size_t made = 0;

	for (size_t i = 0; i < count && tids[i] <= last; i++) {
		if (made && tids[i] <= ranges[made - 1].last + 1) {
			ranges[made - 1].last = tids[i];
			continue;
		}
		ranges[made++] = (struct range){tids[i], tids[i]};
		if (made > MAX_RANGES)
			merge_nearest(ranges, made--);
	}
	return made;
}

static size_t append_range(char *text, size_t size, const char *field, const struct range *range)
{
	if (range->first == range->last)
		return (size_t)snprintf(text, size, "||%s==%d", field, (int)range->first);
	return (size_t)snprintf(text, size, "||(%s>=%d&&%s<=%d)", field, (int)range->first, field,
		(int)range->last);
}

void sprof_tid_filter_write(
	const char *const fields[], pid_t *tids, size_t count, pid_t last, char *ret, size_t size)
{
	struct range ranges[MAX_RANGES + 1];
	size_t made, used = 0;

	qsort(tids, count, sizeof(*tids), compare);
	made = make_ranges(tids, count, last, ranges);
	for (size_t field = 0; fields[field]; field++) {
		used += (size_t)snprintf(ret + used, size - used, "%s%s>%d", field ? "||" : "",
			fields[field], (int)last);
		for (size_t i = 0; i < made; i++)
			used += append_range(ret + used, size - used, fields[field], &ranges[i]);
	}
}
