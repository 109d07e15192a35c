/*
 * The timeline by thread: what each one did, in order.
 */
#ifndef SPROF_PROFILE_SPANS_H
#define SPROF_PROFILE_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct sprof_spans {
	const struct sprof_profile *profile;
	uint32_t *items; /* indexes of spans; a thread's are sorted by begin */
	size_t *first;   /* by thread: its first place in items; one more at the end */
	uint64_t period_ns;
};

/* False: no memory. */
bool sprof_spans_build(const struct sprof_profile *profile, struct sprof_spans *ret);
void sprof_spans_finish(struct sprof_spans *spans);

/* One span; ns since the start of the run. */
struct sprof_span {
	/* its first and last sample; the others are evenly between */
	uint64_t begin_ns, last_ns;
	uint64_t end_ns; /* end of the last sample's time */
	uint32_t row, samples;
	bool is_followed; /* the thread's next span begins where this one ends */
};

/* The span at that place of the items. */
struct sprof_span sprof_spans_get(const struct sprof_spans *spans, size_t place);

/* The number of its samples before a time. */
uint32_t sprof_span_samples_before(const struct sprof_span *span, uint64_t time_ns);
/* The time of a sample, rounded down. */
uint64_t sprof_span_sample_ns(const struct sprof_span *span, uint32_t sample);

#endif
