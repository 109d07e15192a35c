/*
 * Private to output/: what a thread did one after the other, with what each part of it weighs, for
 * formats that have time.
 */
#ifndef SPROF_OUTPUT_MOMENTS_H
#define SPROF_OUTPUT_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/by-thread.h"
#include "profile/profile.h"
#include "profile/spans.h"

/* Some of a row's samples, and their part of its figures: all parts together are the row. */
struct sprof_moment {
	uint32_t row;
	uint64_t begin_ns, end_ns; /* since the start of the run */
	bool is_timed; /* else it is not known when that was: it is with the last that is */
	struct sprof_metrics metrics;
};

struct sprof_moments {
	const struct sprof_profile *profile;
	struct sprof_spans spans;
	struct sprof_by_thread order;
	uint64_t end_ns; /* of all that is on the timeline */
	uint64_t coarseness; /* how many samples make one where the caller says how many may */
	uint64_t *seen; /* by row: samples that were in a moment */
	/* Where the walk is. */
	size_t span, span_end, rest, rest_end;
	uint32_t sample; /* of the span */
	uint64_t last_ns;
};

/* False: no memory. To be finished either way. */
bool sprof_moments_init(struct sprof_moments *moments, const struct sprof_profile *profile);
void sprof_moments_finish(struct sprof_moments *moments);

/* What the next so many samples of a row weigh, for a walk of the caller's own. */
struct sprof_metrics sprof_moments_take(struct sprof_moments *moments, uint32_t row, uint64_t samples);

/* Begins with a thread, again or for the first time. */
void sprof_moments_start(struct sprof_moments *moments, uint32_t thread);
/*
 * The next one, of at most as many samples as `most` says of its row (NULL: all that follow each other).
 * Of a profile with more than a million samples it is so many times more of them, that no few bytes of a
 * saved profile fill the disk. False: the end.
 */
bool sprof_moments_next(struct sprof_moments *moments,
	uint32_t (*most)(const struct sprof_profile *, uint32_t row), struct sprof_moment *ret);

#endif
