/*
 * Samples of running threads by stopping them. A tick begins, asks for threads, and collects them, perhaps several
 * times. Late stops come between two ticks. The book gets all observations.
 */
#ifndef SPROF_SAMPLER_STOP_STOPS_H
#define SPROF_SAMPLER_STOP_STOPS_H

#include "sampler/account/book.h"
#include "sampler/loop/source.h"
#include "sampler/stop/hop.h"
#include "sampler/stop/patience.h"
#include "sampler/stop/pauses.h"
#include "sampler/stop/slots.h"

struct stops {
	const struct run *run;
	const struct source_listener *listener;
	struct book *book;
	struct sprof_pauses *pauses; /* where each pause is counted */
	struct slots slots;
	struct sprof_hop hop;
	struct source_tick tick;
	struct patience patience; /* zeroed: this tick has not waited yet */
	size_t asked;             /* threads that this tick has asked for */
};

/* The caller keeps all pointed-to objects alive for longer. */
void sprof_stops_init(struct stops *stops, struct book *book,
	const struct source_listener *listener, struct sprof_pauses *pauses);
void sprof_stops_finish(struct stops *stops);

void sprof_stops_begin(struct stops *stops, const struct source_tick *tick);
/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_stops_ask(struct stops *stops, const struct ask *ask);
/* Whether to collect now: what the threads were seen doing may soon be over. */
bool sprof_stops_are_due(const struct stops *stops);
void sprof_stops_collect(struct stops *stops);
/* Between two ticks: a stop that was asked for has come. */
void sprof_stops_take_late(struct stops *stops, struct sprof_thread *thread);
/* The run is over: waits for outstanding stops, so that none is left behind. */
void sprof_stops_drain(struct stops *stops);

#endif
