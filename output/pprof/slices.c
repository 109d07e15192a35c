/*
 * Assigns the samples of a saved profile to time slices. Sorts one thread at a time, so only one
 * thread's slices are in memory.
 */
#include <stdlib.h>

#include "base/array.h"
#include "output/pprof/pprof.h"

bool sprof_pprof_slices_init(struct sprof_pprof_slices *slices, const struct sprof_profile *profile)
{
	*slices = (struct sprof_pprof_slices){0};
	if (!profile->slice_ns || !profile->span_count)
		return true;
	slices->slice_ns = profile->slice_ns;
	return sprof_spans_build(profile, &slices->spans);
}

void sprof_pprof_slices_finish(struct sprof_pprof_slices *slices)
{
	sprof_spans_finish(&slices->spans);
	free(slices->items);
	*slices = (struct sprof_pprof_slices){0};
}

static bool add(struct sprof_pprof_slices *slices, uint32_t row, uint64_t time_ns, uint32_t samples)
{
	return SPROF_ARRAY_APPEND(slices->items, slices->count, slices->capacity,
		(struct sprof_pprof_slice){.time_ns = time_ns, .row = row, .samples = samples});
}

/* Adds the slices from a span's first sample to the first sample after it. */
static bool add_span(struct sprof_pprof_slices *slices, const struct sprof_span *span)
{
	for (uint32_t done = 0; done < span->samples;) {
		uint64_t at = sprof_span_sample_ns(span, done);
		uint64_t begin = at - at % slices->slice_ns;
		uint32_t until = sprof_span_samples_before(span, begin + slices->slice_ns);

		until = until > done ? until : done + 1;
		if (!add(slices, span->row, begin, until - done))
			return false;
		done = until;
	}
	return true;
}

static int by_row_and_time(const void *left, const void *right)
{
	const struct sprof_pprof_slice *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

/* Joins slices of the same row and time. */
static void join(struct sprof_pprof_slices *slices)
{
	size_t count = 0;

	for (size_t i = 0; i < slices->count; i++) {
		if (count && !by_row_and_time(&slices->items[count - 1], &slices->items[i]))
			slices->items[count - 1].samples += slices->items[i].samples;
		else
			slices->items[count++] = slices->items[i];
	}
	slices->count = count;
}

bool sprof_pprof_slices_of(struct sprof_pprof_slices *slices, uint32_t thread)
{
	slices->count = slices->next = 0;
	if (!slices->slice_ns)
		return true;
	for (size_t i = slices->spans.first[thread]; i < slices->spans.first[thread + 1]; i++) {
		struct sprof_span span = sprof_spans_get(&slices->spans, i);

		if (!add_span(slices, &span))
			return false;
	}
	if (slices->count)
		qsort(slices->items, slices->count, sizeof(*slices->items), by_row_and_time);
	join(slices);
	return true;
}

const struct sprof_pprof_slice *sprof_pprof_next_slice(
	struct sprof_pprof_slices *slices, uint32_t row)
{
	while (slices->next < slices->count && slices->items[slices->next].row < row)
		slices->next++;
	if (slices->next == slices->count || slices->items[slices->next].row != row)
		return NULL;
	return &slices->items[slices->next++];
}
