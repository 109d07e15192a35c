/*
 * The source of samples that stops running threads.
 */
#ifndef SPROF_SAMPLER_STOPS_H
#define SPROF_SAMPLER_STOPS_H

#include "sampler/hop.h"
#include "sampler/patience.h"
#include "sampler/pauses.h"
#include "sampler/slots.h"
#include "sampler/source.h"

struct stops {
	const struct run *run;
	const struct source_listener *listener;
	struct sprof_pauses *pauses; /* where each pause is counted */
	struct slots slots;
	struct sprof_hop hop;
	struct source_tick tick;
	struct patience patience; /* zeroed: this tick has not waited yet */
	size_t asked;             /* threads that this tick has asked for */
};

/* The caller keeps all pointed-to objects alive longer than the source. */
void sprof_stops_init(struct stops *stops, const struct run *run,
	const struct source_listener *listener, struct sprof_pauses *pauses,
	struct sprof_source *ret);

#endif
