/*
 * The timeline with weights. The figures of a row are distributed over its samples: each gets the
 * difference of two rounded running sums, so the parts add up to the row. Samples that are not on
 * the timeline come at the end.
 */
#include "output/formats/moments.h"

#include <stdlib.h>

enum { MANY_SAMPLES = 1 << 20 };

static uint64_t choose_coarseness(const struct sprof_profile *profile)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < profile->span_count; i++)
		samples += profile->spans[i].samples;
	return samples / MANY_SAMPLES + 1;
}

bool sprof_moments_init(struct sprof_moments *moments, const struct sprof_profile *profile)
{
	*moments = (struct sprof_moments){
		.profile = profile, .coarseness = choose_coarseness(profile)};
	moments->seen = calloc(profile->row_count + 1, sizeof(*moments->seen));
	if (!moments->seen || !sprof_spans_build(profile, &moments->spans) ||
		!sprof_by_thread_build(profile, &moments->order))
		return false;
	for (size_t i = 0; i < profile->span_count; i++) {
		uint64_t end = sprof_spans_get(&moments->spans, i).end_ns;

		moments->end_ns = end > moments->end_ns ? end : moments->end_ns;
	}
	return true;
}

void sprof_moments_finish(struct sprof_moments *moments)
{
	free(moments->seen);
	sprof_spans_finish(&moments->spans);
	sprof_by_thread_finish(&moments->order);
	*moments = (struct sprof_moments){0};
}

void sprof_moments_start(struct sprof_moments *moments, uint32_t thread)
{
	moments->span = moments->spans.first[thread];
	moments->span_end = moments->spans.first[thread + 1];
	moments->rest = moments->order.first[thread];
	moments->rest_end = moments->order.first[thread + 1];
	moments->sample = 0;
	moments->last_ns = 0;
	for (size_t i = moments->rest; i < moments->rest_end; i++)
		moments->seen[moments->order.rows[i]] = 0;
}

static uint64_t share(uint64_t value, uint64_t seen, uint64_t more, uint64_t samples)
{
	if (!samples)
		return value;
	return (uint64_t)((__uint128_t)value * (seen + more) / samples) -
		(uint64_t)((__uint128_t)value * seen / samples);
}

struct sprof_metrics sprof_moments_take(struct sprof_moments *moments, uint32_t row, uint64_t more)
{
	const struct sprof_metrics *whole = &moments->profile->rows[row].metrics;
	struct sprof_metrics part = {.samples = more};
	uint64_t seen = moments->seen[row];

	part.further = share(whole->further, seen, more, whole->samples);
	for (int i = 0; i < SPROF_TIME_COUNT; i++)
		part.times.ns[i] = share(whole->times.ns[i], seen, more, whole->samples);
	moments->seen[row] += more;
	return part;
}

static struct sprof_moment next_of_span(struct sprof_moments *moments, uint64_t most)
{
	struct sprof_span span = sprof_spans_get(&moments->spans, moments->span);
	uint32_t first = moments->sample;
	uint32_t end = most < span.samples - first ? first + (uint32_t)most : span.samples;
	struct sprof_moment moment = {
		.row = span.row,
		.begin_ns = sprof_span_sample_ns(&span, first),
		.end_ns = end == span.samples ? span.end_ns : sprof_span_sample_ns(&span, end),
		.is_timed = true,
	};

	moment.metrics = sprof_moments_take(moments, span.row, end - first);
	moments->last_ns = moment.begin_ns;
	moments->sample = end;
	if (end == span.samples) {
		moments->sample = 0;
		moments->span++;
	}
	return moment;
}

bool sprof_moments_next(struct sprof_moments *moments,
	uint32_t (*most)(const struct sprof_profile *, uint32_t row), struct sprof_moment *ret)
{
	const struct sprof_profile *profile = moments->profile;

	if (moments->span < moments->span_end) {
		uint32_t row = profile->spans[moments->spans.items[moments->span]].row;

		*ret = next_of_span(
			moments, most ? most(profile, row) * moments->coarseness : UINT32_MAX);
		return true;
	}
	for (; moments->rest < moments->rest_end; moments->rest++) {
		uint32_t row = moments->order.rows[moments->rest];
		uint64_t samples = profile->rows[row].metrics.samples;

		if (samples && moments->seen[row] >= samples)
			continue;
		*ret = (struct sprof_moment){
			.row = row, .begin_ns = moments->last_ns, .end_ns = moments->last_ns};
		ret->metrics = sprof_moments_take(moments, row, samples - moments->seen[row]);
		moments->rest++;
		return true;
	}
	return false;
}
