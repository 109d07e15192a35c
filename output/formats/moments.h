/* Private to output/: what a thread did over time, with weights, for formats with a time axis. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/model/by-thread.h"
#include "profile/model/profile.h"
#include "profile/model/spans.h"

/* Some of a row's samples with their part of the row's figures; the parts add up to the row. */
struct sprof_moment {
	uint32_t row;
	uint64_t begin_ns, end_ns; /* since the start of the run */
	bool is_timed;             /* false: the time is unknown; such moments come last */
	struct sprof_metrics metrics;
};

struct sprof_moments {
	const struct sprof_profile *profile;
	struct sprof_spans spans;
	struct sprof_by_thread order;
	uint64_t end_ns;     /* end of the whole timeline */
	uint64_t coarseness; /* samples per moment, if the caller limits them */
	uint64_t *seen;      /* by row: samples already used */
	/* The position of the walk. */
	size_t span, span_end, rest, rest_end;
	uint32_t sample; /* within the span */
	uint64_t last_ns;
};

/* Returns false if out of memory. Finish it in both cases. */
bool sprof_moments_init(struct sprof_moments *moments, const struct sprof_profile *profile);
void sprof_moments_finish(struct sprof_moments *moments);

/* The weight of a row's next `samples` samples, for callers that iterate themselves. */
struct sprof_metrics sprof_moments_take(
	struct sprof_moments *moments, uint32_t row, uint64_t samples);

/* Starts or restarts the walk at a thread. */
void sprof_moments_start(struct sprof_moments *moments, uint32_t thread);
/*
 * The next moment, with at most the number of samples that `most` allows for its row (NULL: all
 * successive ones). In profiles with more than a million samples, this limit grows in proportion,
 * so that a small saved profile can't fill the disk. Returns false at the end.
 */
bool sprof_moments_next(struct sprof_moments *moments,
	uint32_t (*most)(const struct sprof_profile *, uint32_t row), struct sprof_moment *ret);
