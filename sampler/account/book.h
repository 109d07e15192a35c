/*
 * The book: only here observations become samples, time is charged, and quality is counted.
 */
#ifndef SPROF_SAMPLER_ACCOUNT_BOOK_H
#define SPROF_SAMPLER_ACCOUNT_BOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "sampler/account/charge.h"
#include "sampler/account/samples.h"
#include "sampler/account/waits.h"
#include "sampler/loop/run.h"
#include "sampler/observation.h"

struct book {
	struct run *run;
	uint64_t begin_ns; /* earlier time does not count */
	bool is_paused;
	struct samples samples;
	struct waits waits;
	struct charging charging;
};

/* The caller keeps the run alive longer than the book, and the book in its place. */
void sprof_book_init(struct book *book, struct run *run);
void sprof_book_finish(struct book *book);

/* Returns the record of the thread, created if new; NULL if the thread is gone or out of memory. */
struct sampled *sprof_book_open(struct book *book, struct sprof_thread *thread);
/* The thread has executed another program. */
void sprof_book_executed(struct book *book, struct sprof_thread *thread);
/* Hands over the thread's deferred samples, and charges. For `with_figures`, see charge.h. */
void sprof_book_settle(struct book *book, struct sprof_thread *thread, bool with_figures);
/* Frees the record of the thread. */
void sprof_book_close(struct book *book, struct sprof_thread *thread);
/*
 * No samples follow for a while: what the threads use from now on does not count. All of them were
 * charged up to time_ns, except for those that got no CPU to stop on.
 */
void sprof_book_pause(struct book *book, uint64_t time_ns);
/* Samples follow: all counts from now on belong to the run. Opens the records of new threads. */
void sprof_book_resume(struct book *book);
/* A new sink begins. It gets everything again, including what the old one already has. */
void sprof_book_restart(struct book *book);

/*
 * Returns how the stack ends. A record whose stack continues in another place (BAD_MEMORY) is not
 * booked.
 */
enum sprof_end sprof_book_observation(struct book *book, const struct observation *observation);
/* A look has found the thread in this state. */
void sprof_book_looked(struct book *book, struct sprof_thread *thread, enum sprof_state state);

/*
 * names.c: hands the thread's name to the sink if it has changed, and with a new program also the
 * process's. A thread that is gone keeps its last name.
 */
void sprof_names_report(struct run *run, struct sprof_thread *thread, bool new_program);

#endif
