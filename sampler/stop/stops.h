/*
 * Samples of running threads by stopping them. A tick asks for threads and collects them, perhaps
 * several times. Late stops come between two ticks. The book gets all observations.
 */
#pragma once

#include "base/histogram.h"
#include "sampler/account/book.h"
#include "sampler/stop/slots.h"

/* patience.c: how long a tick waits for its stops. */

/* Of one tick. All times in ns of any one clock. Zeroed has not begun. */
struct patience {
	uint64_t deadline_ns; /* for threads that may be waiting for a CPU */
	uint64_t vain_ns;     /* how much longer it may wait for the others without a stop */
	uint64_t since_ns;    /* of the last stop, or request, or end of the wait */
};

/*
 * A tick begins to wait, or goes on after other work, which does not count. `period`: the time
 * between ticks; a part of it may be spent. A `thorough` tick is the last one for some time: it
 * waits for more CPUs, and for each thread as long as for one that should stop at once.
 */
void sprof_patience_begin(struct patience *patience, uint64_t now, uint64_t period, bool thorough);

/*
 * A thread has just stopped, or some have been asked: returns until when to wait for the next.
 * `soon`: one of them should have a CPU, and stop at once.
 */
uint64_t sprof_patience_deadline(struct patience *patience, uint64_t now, bool soon);

/* Ends the wait: no stop has come since the last one. */
void sprof_patience_end(struct patience *patience, uint64_t now);

struct stops {
	const struct run *run;
	void *data; /* of on_event */
	/* An event that is no stop. Threads may end in it, and are then gone. */
	void (*on_event)(void *data, const struct sprof_event *event);
	struct book *book;
	struct sprof_histogram pauses; /* how long threads stood still */
	struct slots slots;
	struct sprof_hop hop;
	/* Both are zeroed by the tick when it begins. */
	struct patience patience;
	size_t asked; /* threads that this tick has asked for */
};

/* The caller keeps all pointed-to objects alive for longer. */
void sprof_stops_init(struct stops *stops, struct book *book, void *data,
	void (*on_event)(void *data, const struct sprof_event *event));
void sprof_stops_finish(struct stops *stops);

/* Returns false if out of memory. */
SPROF_MUST_USE bool sprof_stops_ask(struct stops *stops, const struct ask *ask);
/* Whether to collect now: what the threads were seen doing may soon be over. */
bool sprof_stops_are_due(const struct stops *stops);
/*
 * Afterwards, the slots that are neither COPIED nor GONE have no observation: the threads sleep, or
 * got no CPU. The caller empties them.
 */
void sprof_stops_collect(struct stops *stops);
/*
 * A stop has come that is not waited for any more: of an earlier tick, or an earlier part of this
 * one. Its sample has that time; 0: the stop's, because this tick may have its own sample.
 */
void sprof_stops_take_late(struct stops *stops, struct sprof_thread *thread, uint64_t time_ns);
/* The run is over: waits for outstanding stops, so that none is left behind. */
void sprof_stops_drain(struct stops *stops);

/* standstill.c: all that happens while a thread is stopped for a sample. */

/* Copies the slot's stopped thread, lets it go on, and reads its figures if wanted. */
void sprof_standstill_copy(struct stops *stops, struct slot *slot);
/* Ends a stop that is not needed any more: the thread notices only the pause. */
void sprof_standstill_end(const struct stops *stops, struct sprof_thread *thread);
