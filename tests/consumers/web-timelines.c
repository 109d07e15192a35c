/*
 * Timelines for web-profiles: one whose every sample is in truth.json, and one that is large.
 */
#include "tests/consumers/web-profiles.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "profile/model/build.h"

void web_span(struct sprof_profile *profile, uint32_t row, uint64_t begin, uint32_t samples)
{
	web_must(sprof_array_reserve(&profile->spans, &profile->span_capacity,
		profile->span_count + 1, sizeof(*profile->spans)));
	profile->spans[profile->span_count++] = (struct sprof_profile_span){.begin_ns = begin,
		.end_ns = begin + (samples - 1) * MS,
		.row = row,
		.samples = samples};
}

static int by_begin(const void *left, const void *right)
{
	const struct sprof_profile_span *a = left, *b = right;

	return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

/* Spans of the thread's rows from `first` on: 2 s, a sample per ms, now and then a while without. */
static void add_spans(struct sprof_profile *profile, uint32_t first, uint32_t rows, unsigned *seed)
{
	uint32_t before = SPROF_PROFILE_NONE;

	for (unsigned at = web_random(seed, 20); at < 2000;) {
		uint32_t row = first + web_random(seed, rows),
			 samples = 1 + web_random(seed, web_random(seed, 60) + 1);

		if (samples > 2000 - at)
			samples = 2000 - at;
		if (row != before) {
			web_span(profile, row, at * (uint64_t)MS, samples);
			profile->rows[row].metrics.samples += samples;
			before = row;
			at += samples;
		}
		if (!web_random(seed, 20))
			at += 11 + web_random(seed, 50);
	}
}

static void set_times(struct sprof_profile_row *row, enum sprof_state state, unsigned *seed)
{
	uint64_t *ns = row->metrics.times.ns, samples = row->metrics.samples;

	if (state == SPROF_STATE_SLEEP) {
		ns[SPROF_TIME_SLEEP] = samples * MS + web_random(seed, MS);
		return;
	}
	ns[state == SPROF_STATE_SYS ? SPROF_TIME_SYS : SPROF_TIME_USER] =
		samples * web_random(seed, MS);
	ns[SPROF_TIME_RUNQ] = samples * web_random(seed, MS / 4);
}

/* As if it had been sampled: three threads, with all that they did one after the other. */
void web_make_timeline(struct sprof_profile *profile, unsigned seed)
{
	static const struct sprof_profile_context contexts[] = {
		{.state = SPROF_STATE_USER},
		{.state = SPROF_STATE_SYS, .syscall = "write"},
		{.state = SPROF_STATE_SLEEP,
			.syscall = "futex",
			.object = "mutex",
			.kind = SPROF_WAIT_KIND_LOCK},
		{.state = SPROF_STATE_SLEEP,
			.syscall = "read",
			.object = "pipe",
			.kind = SPROF_WAIT_KIND_IO},
	};
	enum { ROWS = 12, CONTEXTS = sizeof(contexts) / sizeof(contexts[0]) };
	char stack[4096];

	profile->quality.rate_hz = 1000;
	profile->quality.duration_ns = 2000 * (uint64_t)MS;
	for (unsigned i = 0; i < 3; i++) {
		struct sprof_profile_row row = {
			.thread = web_thread(profile, 100, 100 + (pid_t)i, "t")};
		uint32_t first = (uint32_t)profile->row_count, count;

		for (unsigned k = 0; k < ROWS; k++) {
			web_random_stack(
				stack, sizeof(stack), &seed, 1 + web_random(&seed, 6), 9, 1);
			row.stack = web_stack(profile, stack);
			web_must(sprof_build_context(
				profile, &contexts[k % CONTEXTS], &row.context));
			web_must(sprof_build_row(profile, &row, NULL));
		}
		count = (uint32_t)profile->row_count - first;
		add_spans(profile, first, count, &seed);
		for (uint32_t k = first; k < first + count; k++)
			set_times(&profile->rows[k],
				profile->contexts[profile->rows[k].context].state, &seed);
	}
	qsort(profile->spans, profile->span_count, sizeof(*profile->spans), by_begin);
}

/* All samples of all rows in any order, one per ms of each thread. */
void web_scatter(struct sprof_profile *profile, unsigned *seed)
{
	uint64_t times[8] = {0};
	SPROF_AUTO_FREE uint32_t *order =
		web_check(calloc(profile->row_count * 20, sizeof(*order)));
	size_t count = 0;

	profile->quality.rate_hz = 1000;
	for (uint32_t row = 0; row < profile->row_count; row++) {
		for (uint64_t i = 0; i < profile->rows[row].metrics.samples; i++)
			order[count++] = row;
	}
	for (size_t i = count; i > 1; i--) {
		size_t other = (web_random(seed, 1 << 15) << 15 | web_random(seed, 1 << 15)) % i;
		uint32_t row = order[i - 1];

		order[i - 1] = order[other];
		order[other] = row;
	}
	for (size_t i = 0; i < count; i++)
		web_span(profile, order[i], times[profile->rows[order[i]].thread]++ * MS, 1);
	qsort(profile->spans, profile->span_count, sizeof(*profile->spans), by_begin);
	profile->quality.duration_ns = profile->spans[profile->span_count - 1].end_ns + MS;
}
