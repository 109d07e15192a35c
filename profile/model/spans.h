/* The timeline by thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

struct sprof_spans {
	const struct sprof_profile *profile;
	uint32_t *items; /* span indices, grouped by thread and sorted by begin */
	size_t *first;   /* by thread: start index in `items`; one more at the end */
	uint64_t period_ns;
};

/* Returns false if out of memory. */
bool sprof_spans_build(const struct sprof_profile *profile, struct sprof_spans *ret);
void sprof_spans_finish(struct sprof_spans *spans);

/* One span, in ns since the start of the run. */
struct sprof_span {
	/* times of its first and last sample; the others are evenly spaced */
	uint64_t begin_ns, last_ns;
	uint64_t end_ns; /* end of the last sample's time */
	uint32_t row, samples;
	bool is_followed; /* the thread's next span begins where this one ends */
};

/* The span at an index of `items`. */
struct sprof_span sprof_spans_get(const struct sprof_spans *spans, size_t place);

uint32_t sprof_span_samples_before(const struct sprof_span *span, uint64_t time_ns);
/* The time of one of its samples, rounded down. */
uint64_t sprof_span_sample_ns(const struct sprof_span *span, uint32_t sample);
