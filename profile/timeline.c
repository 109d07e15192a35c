/*
 * The timeline: what each thread did, in order, run-length coded. Successive samples of a thread
 * with the same row are one span. Bounded: when it is full it ends, and says when.
 */
#include "base/array.h"
#include "profile/index.h"

void sprof_profile_set_timeline(struct sprof_profile *profile, size_t span_max, uint64_t start_ns)
{
	profile->span_max = span_max;
	profile->start_ns = start_ns;
}

/* A span that is told late is not the thread's last one: nothing is added to it. */
static bool is_last(const struct sprof_profile *profile, uint32_t thread, uint64_t begin_ns)
{
	const uint32_t last = profile->threads[thread].last_span;

	return last == SPROF_PROFILE_NONE || profile->spans[last].begin_ns <= begin_ns;
}

static bool append(
	struct sprof_profile *profile, uint32_t thread, const struct sprof_profile_span *span)
{
	if (!sprof_array_reserve(&profile->spans, &profile->span_capacity, profile->span_count + 1,
		    sizeof(*profile->spans)))
		return false;
	if (is_last(profile, thread, span->begin_ns))
		profile->threads[thread].last_span = (uint32_t)profile->span_count;
	profile->spans[profile->span_count++] = *span;
	return true;
}

bool sprof_profile_extend(
	struct sprof_profile *profile, uint32_t thread, const struct sprof_profile_span *more)
{
	uint32_t last = profile->threads[thread].last_span;
	struct sprof_profile_span *span = last == SPROF_PROFILE_NONE ? NULL : &profile->spans[last];

	if (!profile->span_max || profile->spans_cut_ns)
		return true;
	if (span && span->row == more->row && span->samples <= UINT32_MAX - more->samples) {
		span->end_ns = more->end_ns;
		span->samples += more->samples;
		return true;
	}
	if (profile->span_count < profile->span_max && profile->span_count < SPROF_PROFILE_NONE)
		return append(profile, thread, more);
	profile->spans_cut_ns = more->begin_ns;
	return true;
}
