/*
 * The timeline by thread. A sample covers the time until the thread's next sample. If that is late,
 * it covers one period: the thread was not sampled, so its activity is unknown. Late ticks are not
 * such a gap.
 */
#include "profile/model/spans.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/numbers.h"

enum {
	/* More periods than that without a sample are a gap: all threads sampled, or only some. */
	PATIENCE_WALL = 10,
	PATIENCE = 2,
};

static uint32_t thread_of(const struct sprof_profile *profile, size_t span)
{
	return profile->rows[profile->spans[span].row].thread;
}

static uint64_t begin_of(const struct sprof_profile *profile, size_t span)
{
	return profile->spans[span].begin_ns;
}

/*
 * Nearly all are in order. A sleep is reported when it is noticed to be over, after later kernel
 * records.
 */
static void put_in_order(const struct sprof_profile *profile, uint32_t *first, const uint32_t *end)
{
	for (uint32_t *next = first; next < end; next++) {
		const uint32_t span = *next;
		uint32_t *at = next;

		for (; at > first && begin_of(profile, at[-1]) > begin_of(profile, span); at--)
			*at = at[-1];
		*at = span;
	}
}

/* Counting sort, like by-thread.c. */
static void sort(const struct sprof_profile *profile, struct sprof_spans *spans)
{
	size_t threads = profile->thread_count;

	for (size_t i = 0; i < profile->span_count; i++) {
		if (thread_of(profile, i) + 2 <= threads)
			spans->first[thread_of(profile, i) + 2]++;
	}
	for (size_t i = 2; i <= threads; i++)
		spans->first[i] += spans->first[i - 1];
	for (size_t i = 0; i < profile->span_count; i++)
		spans->items[spans->first[thread_of(profile, i) + 1]++] = (uint32_t)i;
	for (size_t i = 0; i < threads; i++)
		put_in_order(profile, spans->items + spans->first[i],
			spans->items + spans->first[i + 1]);
}

/* The rate of samples: lower than requested if that would have cost too much. */
static double rate_of(const struct sprof_quality *quality)
{
	if (!quality->ticks_held_back || !quality->duration_ns)
		return quality->rate_hz;
	return (double)quality->ticks * SPROF_NS_PER_S / (double)quality->duration_ns;
}

bool sprof_spans_build(const struct sprof_profile *profile, struct sprof_spans *ret)
{
	double rate = rate_of(&profile->quality);
	struct sprof_spans spans = {
		.profile = profile,
		.items = calloc(profile->span_count + 1, sizeof(*spans.items)),
		.first = calloc(profile->thread_count + 2, sizeof(*spans.first)),
		.period_ns = rate > 1e-9 ? (uint64_t)((double)SPROF_NS_PER_S / rate) : 0,
	};

	if (!spans.items || !spans.first) {
		sprof_spans_finish(&spans);
		return false;
	}
	sort(profile, &spans);
	*ret = spans;
	return true;
}

void sprof_spans_finish(struct sprof_spans *spans)
{
	free(spans->items);
	free(spans->first);
	*spans = (struct sprof_spans){0};
}

static uint64_t since_start(const struct sprof_profile *profile, uint64_t time_ns)
{
	return sprof_minus(time_ns, profile->start_ns);
}

/* The thread's next span; NULL if there is none. */
static const struct sprof_profile_span *next_of(const struct sprof_spans *spans, size_t place)
{
	const struct sprof_profile *profile = spans->profile;

	if (place + 1 >= profile->span_count ||
		thread_of(profile, spans->items[place]) !=
			thread_of(profile, spans->items[place + 1]))
		return NULL;
	return &profile->spans[spans->items[place + 1]];
}

struct sprof_span sprof_spans_get(const struct sprof_spans *spans, size_t place)
{
	const struct sprof_profile *profile = spans->profile;
	const struct sprof_profile_span *span = &profile->spans[spans->items[place]];
	const struct sprof_profile_span *next = next_of(spans, place);
	uint64_t end = span->end_ns + spans->period_ns;
	uint64_t periods = profile->quality.mode == SPROF_MODE_WALL ? PATIENCE_WALL : PATIENCE;
	bool is_followed = next && next->begin_ns <= span->end_ns + periods * spans->period_ns;

	return (struct sprof_span){
		.begin_ns = since_start(profile, span->begin_ns),
		.last_ns = since_start(profile, span->end_ns),
		.end_ns = since_start(profile, is_followed ? next->begin_ns : end),
		.row = span->row,
		.samples = span->samples,
		.is_followed = is_followed,
	};
}

uint32_t sprof_span_samples_before(const struct sprof_span *span, uint64_t time_ns)
{
	uint64_t length = span->last_ns - span->begin_ns;
	__uint128_t inside;

	if (time_ns <= span->begin_ns || !span->samples)
		return 0;
	if (time_ns > span->last_ns)
		return span->samples;
	/* Sample k is at begin + k * length / (samples - 1). Earlier ones count, so round up. */
	inside = (__uint128_t)(time_ns - span->begin_ns) * (span->samples - 1);
	return (uint32_t)((inside + length - 1) / length);
}

uint64_t sprof_span_sample_ns(const struct sprof_span *span, uint32_t sample)
{
	uint64_t length = span->last_ns - span->begin_ns;

	if (span->samples < 2)
		return span->begin_ns;
	return span->begin_ns + (uint64_t)((__uint128_t)length * sample / (span->samples - 1));
}
