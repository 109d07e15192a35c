/*
 * The timeline of each thread, run-length coded: successive samples in the same row are one span.
 * Bounded: when full, it ends and records when.
 */
#include "base/array.h"
#include "profile/model/index.h"

void sprof_profile_set_timeline(struct sprof_profile *profile, size_t span_max, uint64_t start_ns)
{
	profile->span_max = span_max;
	profile->start_ns = start_ns;
}

/*
 * The thread's span that precedes a time: mostly its last. A sleep is reported when it is noticed
 * to be over, after a few later kernel records.
 */
static uint32_t span_before(const struct sprof_profile *profile, uint32_t thread, uint64_t time_ns)
{
	uint32_t at = profile->threads[thread].last_span;

	while (at != SPROF_PROFILE_NONE &&
		(profile->spans[at].begin_ns > time_ns ||
			profile->rows[profile->spans[at].row].thread != thread))
		at = at ? at - 1 : SPROF_PROFILE_NONE;
	return at;
}

/* A late report is not in the thread's last span; later samples are not added to it. */
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
	const uint32_t before = span_before(profile, thread, more->begin_ns);
	struct sprof_profile_span *span =
		before == SPROF_PROFILE_NONE ? NULL : &profile->spans[before];

	if (!profile->span_max || profile->spans_cut_ns)
		return true;
	if (span && span->row == more->row && span->samples <= UINT32_MAX - more->samples) {
		if (span->end_ns < more->end_ns)
			span->end_ns = more->end_ns;
		span->samples += more->samples;
		return true;
	}
	if (!more->samples)
		return true;
	if (profile->span_count < profile->span_max && profile->span_count < SPROF_PROFILE_NONE)
		return append(profile, thread, more);
	profile->spans_cut_ns = more->begin_ns;
	return true;
}
