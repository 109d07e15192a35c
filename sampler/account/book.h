/*
 * The book: only here observations become samples, time is charged, and quality is counted.
 */
#pragma once

#include "sampler/account/waits.h"

/*
 * A deferred sample. It waits for the end of the tick, when the holder of its lock has been sampled
 * too; a timer's record waits until the thread's other records have been read.
 */
struct deferred {
	struct sprof_thread *thread;
	struct sprof_sample sample;
	pid_t holder_tid; /* of its lock; 0: none */
	bool is_record;
};

struct book {
	struct run *run;
	uint64_t begin_ns; /* earlier time does not count */
	struct deferred *deferred;
	size_t deferred_count, deferred_capacity;
	struct waits waits;
	struct sprof_proc_cpus cpus; /* time that the machine's CPUs have lost */
	uint64_t cpus_ns;            /* when that was read; 0: never */
};

/* samples.c: samples on their way to the sink: at once, or at the end of the tick. */

/* Hands the observation's sample to the sink, with that time: now, or at the end of the tick. */
void sprof_samples_emit(struct book *book, const struct observation *observation, uint64_t ns);
/* A timer's record, which waits for its share of the thread's time. */
void sprof_samples_add_record(struct book *book, const struct observation *observation,
	const struct last_seen *seen, uint32_t wait);
bool sprof_samples_have_records(const struct book *book, const struct sprof_thread *thread);
/* At the end of the tick, hands over deferred samples. NULL: of all threads. */
void sprof_samples_flush(struct book *book, const struct sprof_thread *thread);

/* Ends an interval, unless one has ended since then. Its records share its CPU time. */
void sprof_interval_read(struct book *book, struct sprof_thread *thread, uint64_t since_ns);

/* A look ends an interval. Returns the time that it explains. */
uint64_t sprof_interval_end(struct book *book, const struct observation *observation);

/* The thread's sleep, if any, has lasted until then. `reads`: reads its figures to check that. */
void sprof_interval_sleep(
	struct book *book, struct sprof_thread *thread, uint64_t time_ns, bool reads);

/* A look has read these figures: the thread does not sleep any more, if it did. */
void sprof_interval_woke(
	struct book *book, struct sprof_thread *thread, const struct ledger_look *look);

/* charge.c: hands out the time that the kernel has accounted to a thread. */

/* The CPU figures of the machine, not older than half of a window. */
const struct sprof_proc_cpus *sprof_charge_cpus(struct book *book);

/* Whether a window is full at now_ns. */
bool sprof_charge_is_due(const struct book *book, const struct sampled *sampled, uint64_t now_ns);
/* Hands out the window's time. `reading`: the figures; NULL: reads them, and they must be exact. */
bool sprof_charge_window(
	struct book *book, struct sprof_thread *thread, const struct reading *reading);
/*
 * Hands out the rest: charged time gets no further samples. `with_figures`: the thread's figures
 * are exact now, and not all of them have been handed out.
 */
void sprof_charge_last(struct book *book, struct sprof_thread *thread, bool with_figures);

/*
 * What the thread uses from now on does not count, until sprof_charge_resume(). It was charged up
 * to time_ns, unless it got no CPU to stop on: then its figures are charged as they are.
 */
void sprof_charge_pause(struct book *book, struct sprof_thread *thread, uint64_t time_ns);
void sprof_charge_resume(struct book *book, struct sprof_thread *thread);

/* The caller keeps the run alive longer than the book, and the book in its place. */
void sprof_book_init(struct book *book, struct run *run);
void sprof_book_finish(struct book *book);

/* Returns the record of the thread, created if new; NULL if the thread is gone or out of memory. */
struct sampled *sprof_book_open(struct book *book, struct sprof_thread *thread);
/* The thread has executed another program. */
void sprof_book_executed(struct book *book, struct sprof_thread *thread);
/* The thread has ended, though the kernel does not say so yet. Its time ends here. */
void sprof_book_ended(struct book *book, struct sprof_thread *thread);
/* Hands over the thread's deferred samples, and charges as sprof_charge_last() does. */
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
/*
 * A new sink begins. It gets everything again, including what the old one already has. `is_off`: no
 * samples follow for a while.
 */
void sprof_book_restart(struct book *book, bool is_off);

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
