/*
 * A file has only the time slice of each sample. Samples become spans here, so everything else
 * works as after a run. Within a slice, a thread's samples are laid out by row, one period apart,
 * or closer if there are too many. No sample leaves its slice, so the file is the same when written
 * again.
 */
#include "profile/model/slices.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/clock.h"
#include "profile/model/index.h"

bool sprof_slices_add(
	struct sprof_profile *profile, const struct sprof_profile_row *row, uint64_t time_ns)
{
	uint64_t samples = row->metrics.samples;
	uint32_t id;

	if (!samples || samples > UINT32_MAX || time_ns > INT64_MAX)
		return true;
	return sprof_profile_intern_row(profile, row, &id) &&
		SPROF_ARRAY_APPEND(profile->spans, profile->span_count, profile->span_capacity,
			(struct sprof_profile_span){
				.begin_ns = time_ns - time_ns % profile->slice_ns,
				.row = id,
				.samples = (uint32_t)samples});
}

static uint32_t thread_of(
	const struct sprof_profile *profile, const struct sprof_profile_span *span)
{
	return profile->rows[span->row].thread;
}

static int by_time(const void *left, const void *right)
{
	const struct sprof_profile_span *a = left, *b = right;

	if (a->begin_ns != b->begin_ns)
		return a->begin_ns < b->begin_ns ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static int by_thread_and_time(const void *left, const void *right, void *data)
{
	const struct sprof_profile_span *a = left, *b = right;
	const struct sprof_profile *profile = data;
	uint32_t one = thread_of(profile, a), two = thread_of(profile, b);

	return one == two ? by_time(left, right) : one < two ? -1 : 1;
}

void sprof_profile_sort_spans(struct sprof_profile *profile)
{
	if (profile->span_count)
		qsort(profile->spans, profile->span_count, sizeof(*profile->spans), by_time);
}

/* Lays out the spans of one thread and slice. Returns where the next begin. */
static size_t lay_out(struct sprof_profile *profile, size_t first, uint64_t period_ns)
{
	struct sprof_profile_span *spans = profile->spans;
	uint64_t slice = spans[first].begin_ns, samples = 0, step, at = slice;
	uint32_t thread = thread_of(profile, &spans[first]);
	size_t end = first;

	for (; end < profile->span_count && spans[end].begin_ns == slice &&
		thread_of(profile, &spans[end]) == thread;
		end++)
		samples += spans[end].samples;
	step = profile->slice_ns / samples;
	if (period_ns && period_ns < step)
		step = period_ns;
	for (size_t i = first; i < end; i++) {
		spans[i].begin_ns = at;
		at += spans[i].samples * step;
		spans[i].end_ns = step ? at - step : at;
	}
	return end;
}

void sprof_slices_settle(struct sprof_profile *profile)
{
	double rate = profile->quality.rate_hz;
	uint64_t period = rate > 1e-9 ? (uint64_t)((double)SPROF_NS_PER_S / rate) : 0;

	if (!profile->span_count)
		return;
	qsort_r(profile->spans, profile->span_count, sizeof(*profile->spans), by_thread_and_time,
		profile);
	for (size_t next = 0; next < profile->span_count;)
		next = lay_out(profile, next, period);
	sprof_profile_sort_spans(profile);
}
