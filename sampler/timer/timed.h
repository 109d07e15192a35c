/*
 * What is remembered of a thread's timer in the kernel, and when the thread is still stopped.
 *
 *   timer    NONE -opened-> OPENING -recorded-> OPEN. Both -closed-> NONE. Given up: it stays closed
 *            until an exec. The first record comes after a whole period, so a thread that works in
 *            short bursts may have none for long. While OPENING, stops take the samples. Without
 *            records of the kernel's code, some CPU time without a record also ends OPENING.
 *
 *   stack    FIRST -many stacks needed less-> FITTING. Both -a full copy did not hold the stack->
 *            LARGER, up to the largest, -many more stacks needed less-> FITTING, with more room. If
 *            too many stacks are incomplete and no larger copy helps, the timer is given up: a stop
 *            in place of such a record may find the thread elsewhere.
 *
 * Stops cover what records miss: the kernel's code, if it has no records or its system call is not
 * known. The thread's CPU time, in periods, is owed samples; each record is one. What is still owed
 * is time in the kernel. The larger its share, the more ticks have a stop; one that finds the
 * thread in the kernel counts for all that is owed.
 *
 * A thread that a tick finds running, and that has slept since the last look, may be just waking,
 * or be asleep again a moment later. It has used hardly any CPU time, so no record shows this.
 * Timers expire together, so it is often the same place. A stop that finds this counts for all such
 * ticks since the last stop; the more often stops do, the more of these ticks have one.
 */
#ifndef SPROF_SAMPLER_TIMER_TIMED_H
#define SPROF_SAMPLER_TIMER_TIMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sprof_perf_timer;

/* Zeroed has no timer, and had none. */
struct timed {
	struct sprof_perf_timer *timer; /* NULL: none */
	bool given_up;
	bool is_unfit;    /* its stack takes several copies, which a timer can't make */
	bool wants_more;  /* its copies of the stack are too small */
	bool wants_less;  /* they are too large */
	uint8_t outgrown; /* how often they were too small */
	bool is_full;     /* it has records of the kernel's code, too */
	/* the last tick with a record in the kernel whose system call is not known; 0: none */
	uint64_t untold_ns;
	size_t stack_size; /* of its copies, in bytes; 0: not decided yet */
	size_t needed;     /* the most bytes of a copy that a whole stack has needed */
	uint32_t whole;    /* stacks that were whole */
	uint64_t told_ns;  /* the records of a timer that was closed cover all time until then */
	uint64_t found_ns; /* the last tick that found the thread running without a timer */
	/* CPU time of the thread when it was opened; 0: it is OPEN, or NONE */
	uint64_t opened_cpu_ns;
	uint64_t paced_ns;      /* when it got its present period */
	uint32_t paced_records; /* records since paced_ns */
	uint64_t used_ns;       /* the last tick in which the thread ran, or had a record */
	/* at the last tick that found the thread running: CPU time and run-queue time so far */
	uint64_t cpu_ns, runq_ns;
	double weight;     /* the timer's present period, in periods of the ticks */
	double timer_ns;   /* the same, in ns */
	size_t room;       /* number of records that its ring holds */
	double told_share; /* the part of the thread's recent CPU time that records cover */
	double memory;     /* number of periods that told_share is taken over */
	/* the part of the recent stops after a sleep that found it waking or asleep */
	double waking;
	double fresh;                  /* records not in told_share yet, in periods of the ticks */
	double owed;                   /* samples that no record or stop has given yet */
	uint64_t moved_ns;             /* when it was last found to have used a CPU */
	uint64_t timeslices, switches; /* `switches`: voluntary ones; both at the last look */
	uint64_t turns;                /* on a CPU, between the last two looks */
	bool has_slept;                /* between the last two looks */
	bool ran_before;               /* the look before the last one found it running, too */
	bool stands;                   /* it had no CPU between the last two looks */
	bool has_place;                /* its last sample is of this program and this sink */
	bool stays;                    /* the thread has not slept since its last sample */
	uint64_t record_ns;            /* the last tick in which it had a record */
	uint64_t looked_ns;            /* the last look */
	/*
	 * between the last two looks: run-queue time; time on no CPU, below 0 if its CPU time was
	 * booked late
	 */
	uint64_t runq_between_ns;
	int64_t off_between_ns;
	/* run-queue time not attributed to a sample yet; below 0: too much was attributed */
	int64_t off_ns;
	int64_t nap_ns; /* sleep while ticks had no look, not attributed to a sample yet */
	int64_t off_since_nap_ns; /* time off the CPU since the last nap; at least 0 */
	double latest;            /* CPU time between the last two looks, in periods */
	double ran;               /* the same since its last stop */
	uint32_t woken;           /* ticks since then that found it running after a sleep */
	uint32_t cut;             /* records with an incomplete stack: one stop replaces them */
	/* the part of the recent records that are incomplete and that no larger copy may help */
	double cut_share;
};

/* A tick that looks. */
struct timed_look {
	uint64_t tick_ns;
	uint64_t cpu_ns, runq_ns; /* of the thread, so far */
	uint64_t last_ns;         /* the tick before */
	uint32_t weight;          /* number of ticks that it counts for */
};

/* The size of the copies of the stack that the next timer makes, in bytes. */
size_t sprof_timed_stack_size(const struct timed *timed);

/*
 * A tick has found the thread running. Returns whether the tick before did, too: then it goes on
 * running, and a timer is worth its cost.
 */
bool sprof_timed_goes_on(struct timed *timed, uint64_t tick_ns, uint64_t last_tick_ns);
/*
 * The thread has used cpu_ns so far. `memory`: the number of periods that told_share is taken over.
 * sprof_timed_paced() follows.
 */
void sprof_timed_opened(struct timed *timed, struct sprof_perf_timer *timer, uint64_t tick_ns,
	uint64_t cpu_ns, double memory);
/* Whether its records, and no longer stops, show where the thread runs. */
bool sprof_timed_is_open(const struct timed *timed);
/* Whether it has records of the kernel's code, too. */
void sprof_timed_has_kernel(struct timed *timed, bool is_full);
/* The thread's timeslices, voluntary switches and run-queue time so far. */
void sprof_timed_began(
	struct timed *timed, uint64_t timeslices, uint64_t switches, uint64_t runq_ns);
/* Whether a timer with another size of copies is to take its place. */
bool sprof_timed_wants_other(const struct timed *timed);
/* A timer with another size of copies has taken its place. */
void sprof_timed_replaced(struct timed *timed, struct sprof_perf_timer *timer);
/*
 * `told_ns`: its records cover all time until then; 0: they don't. `for_good`: it is not opened
 * again.
 */
void sprof_timed_closed(struct timed *timed, uint64_t told_ns, bool for_good);
/* The thread runs another program: all else is forgotten. Its timer was closed. */
void sprof_timed_executed(struct timed *timed);
/* Its period is now `weight` times that of the ticks. */
void sprof_timed_paced(struct timed *timed, uint64_t now_ns, uint64_t period_ns, double weight);
/* Its ring has room for that many records. */
void sprof_timed_has_room(struct timed *timed, size_t records);
/* The time that its ring has room for. */
uint64_t sprof_timed_room_ns(const struct timed *timed);

/* A tick has found the thread running. `periods`: its CPU time since the last tick that did. */
void sprof_timed_ran(struct timed *timed, const struct timed_look *look, double periods);
/*
 * Returns false if it has not slept since the last look, true if only its voluntary switches can
 * show that.
 */
bool sprof_timed_may_have_slept(struct timed *timed, uint64_t timeslices, uint64_t period_ns);
/* Its voluntary switches at this look, which counts for `weight` ticks. */
void sprof_timed_gave_up(struct timed *timed, uint64_t switches, uint32_t weight);
/*
 * The thread is seen asleep. Returns the number of ticks that it slept between looks that found it
 * running, if ticks before them had no look: they are charged to this sleep. Long sleeps are seen
 * more often, so they get part of the ticks of short ones.
 */
uint32_t sprof_timed_take_naps(struct timed *timed, uint64_t period_ns);
/*
 * The timer had a record of the thread, which had a CPU at that time. Its CPU time may show this
 * much later (nohz_full, where the kernel adds it up once a second).
 */
void sprof_timed_recorded(struct timed *timed, uint64_t tick_ns, uint64_t time_ns);
/* The same for a record of the kernel's code whose system call is not known: it is no sample. */
void sprof_timed_untold(struct timed *timed, uint64_t tick_ns, uint64_t time_ns);
/* A whole stack has needed that many bytes of a copy. */
void sprof_timed_needed(struct timed *timed, size_t bytes);
/* met_whole: the copy held the whole stack. was_cut: it did not; `was_full`: the copy was full. */
void sprof_timed_met_whole(struct timed *timed);
void sprof_timed_was_cut(struct timed *timed, bool was_full);
/* Whether stacks are incomplete so often that stops are better. */
bool sprof_timed_is_in_vain(const struct timed *timed);

/*
 * Whether it has not had a CPU for a while: it waits in the run queue, where its last record left
 * it, and where a stop would take long.
 */
bool sprof_timed_is_queued(const struct timed *timed, uint64_t tick_ns);
/*
 * Takes the ticks that it waited in the run queue in the midst of its work and that have no sample
 * yet. Its last sample is repeated for them, if the sink has it (has_place).
 */
uint32_t sprof_timed_stood(struct timed *timed, uint64_t period_ns);
/* A stop has given that number of samples; 0: the sink does not know where it is. */
void sprof_timed_was_placed(struct timed *timed, uint32_t samples);
/* A new sink begins: it does not have the last sample. */
void sprof_timed_restarted(struct timed *timed);
/* Whether records cover all its CPU time: a stop counts for none of it. */
bool sprof_timed_tells_all(const struct timed *timed);
/* Whether this tick has a stop. `most`: at least one in that number of periods of CPU time. */
bool sprof_timed_is_due(const struct timed *timed, double most);
/* CPU time and run-queue time since the last tick that found it running, in ns. */
uint64_t sprof_timed_awake_ns(const struct timed *timed, uint64_t cpu_ns, uint64_t runq_ns);
/* Whether records cover nearly all of it: it has not slept, and is hardly in the kernel. */
bool sprof_timed_tells(const struct timed *timed);
/* A stop found the thread in the kernel. Returns the number of ticks that it counts for. */
uint32_t sprof_timed_met_in_kernel(struct timed *timed);
/*
 * A stop found it in its own code. Returns the number of incomplete records that it replaces; 0:
 * records cover the rest.
 */
uint32_t sprof_timed_met_in_user(struct timed *timed);
/* A stop found it waking. Returns the number of ticks that it counts for. */
uint32_t sprof_timed_met_waking(struct timed *timed);
/*
 * The stop found it asleep. Returns false if the tick had found it at work: records cover that, and
 * its sleep began later.
 */
bool sprof_timed_was_missed(struct timed *timed);

#endif
