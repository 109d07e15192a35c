/*
 * What is remembered of a thread's timer in the kernel, and when the thread is stopped all the same.
 *
 *   timer    NONE -opened-> OPENING -recorded-> OPEN. Both -closed-> NONE. Given up: it stays closed
 *            until an exec. The first record comes after a whole period: who works in short bursts may
 *            have none for long. While OPENING, stops take the samples. Without records of the kernel's
 *            code, some CPU time without a record ends that, too.
 *
 *   stack    FIRST -many stacks needed less-> FITTING. Both -a copy that was full did not hold
 *            the stack-> LARGER, up to the largest, -many more stacks needed less-> FITTING, with
 *            more room. Too many stacks that are not whole, with no larger
 *            copy to help: the timer is given up, because a stop may meet the thread elsewhere.
 *
 * Where the kernel has no records of its own code, or records whose system call is not known, stops see
 * what it does not tell. The thread's CPU time, in periods, is owed samples; each record is one. What is
 * still owed is time in the kernel. The larger its share, the more ticks have a stop; one that meets the
 * thread in the kernel stands for all that is owed.
 *
 * A thread that a tick finds running, and that has slept since the last look, may be just waking, or be
 * asleep again a moment later: it has used no CPU time to speak of, so no record tells of it. Timers
 * expire together, so that this is often the same place. A stop that finds this stands for all such
 * ticks since the last stop; the oftener stops do, the more of these ticks have one.
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
	bool is_unfit;      /* its stack takes several copies, which a timer can't make */
	bool wants_more;    /* its copies of the stack are too small */
	bool wants_less;    /* they are too large */
	uint8_t outgrown;   /* how often they were too small */
	bool is_full;       /* it has records of the kernel's code, too */
	uint64_t untold_ns; /* the last tick that had one without its call; 0: none */
	size_t stack_size;  /* of its copies, in bytes; 0: not decided yet */
	size_t needed;      /* the most that a whole stack has needed of them */
	uint32_t whole;     /* stacks that were whole */
	uint64_t told_ns;   /* until then, the records of a timer that was closed have told all */
	uint64_t found_ns;  /* the last tick that found the thread running without a timer */
	uint64_t
		opened_cpu_ns; /* CPU time of the thread when it was opened; 0: it is OPEN, or NONE */
	uint64_t paced_ns;     /* when it got its present period */
	uint32_t paced_records; /* since then */
	uint64_t used_ns;       /* the last tick in which the thread ran, or had a record */
	/* at the last tick that found the thread running: CPU time so far, and time in the queue */
	uint64_t cpu_ns, runq_ns;
	double weight;     /* the timer's present period, in periods of the ticks, */
	double timer_ns;   /* and in ns */
	size_t room;       /* number of records that its ring holds */
	double told_share; /* of the thread's recent CPU time, by the records */
	double memory;     /* for told_share, in periods */
	double waking; /* of the recent stops after a sleep: those that met it waking or asleep */
	double fresh;  /* records that are not in it yet, in periods of the ticks */
	double owed;   /* samples, which no record or stop has given yet */
	uint64_t moved_ns;             /* the last tick that found that it had used its CPU */
	uint64_t timeslices, switches; /* its voluntary ones, at the last look */
	uint64_t turns;                /* on a CPU, between the last two looks */
	bool has_slept;                /* between the last two looks */
	bool ran_before;               /* the look before the last one found it running, too */
	bool stands;                   /* it has had no CPU between them */
	bool has_place;                /* its last sample is of this program and this sink, */
	bool stays;                    /* and the thread has not slept since */
	uint64_t record_ns;            /* the last tick in which it had a record */
	uint64_t looked_ns;            /* the last look */
	/* between the last two looks: in the queue; on no CPU, below 0 if its CPU time came late */
	uint64_t runq_between_ns;
	int64_t off_between_ns;
	/* without a CPU in the midst of its work, and without a sample yet; below 0: told too early */
	int64_t off_ns;
	int64_t nap_ns;           /* slept while ticks had no look, and without a sample yet */
	int64_t off_since_nap_ns; /* time off the CPU; 0 at the least */
	double latest;            /* CPU time between the last two looks, in periods */
	double ran;               /* the same since its last stop */
	uint32_t woken;           /* ticks since then that found it running after a sleep */
	uint32_t cut;             /* records whose stack was not whole: one stop stands for them */
	double cut_share; /* of the recent records: those of them for which no larger copy may help */
};

/* A tick that looks. */
struct timed_look {
	uint64_t tick_ns;
	uint64_t cpu_ns, runq_ns; /* of the thread, so far */
	uint64_t last_ns;         /* the tick before */
	uint32_t weight;          /* number of ticks that it stands for */
};

/* The sizes of copies, the first one and the next one, in bytes; 0: there is none. */
size_t sprof_timed_stack_size(const struct timed *timed);

/*
 * A tick has found the thread running. Whether the tick before did so, too: it goes on running, so that
 * a timer is worth its price.
 */
bool sprof_timed_goes_on(struct timed *timed, uint64_t tick_ns, uint64_t last_tick_ns);
/*
 * The thread has used this CPU time, in ns, so far. `memory`: the number of periods that its share of
 * told time is taken over. Its first period follows (paced).
 */
void sprof_timed_opened(struct timed *timed, struct sprof_perf_timer *timer, uint64_t tick_ns,
	uint64_t cpu_ns, double memory);
/* Whether its records tell where the thread runs, and not stops any more. */
bool sprof_timed_is_open(const struct timed *timed);
/* Whether it has records of the kernel's code, too. */
void sprof_timed_has_kernel(struct timed *timed, bool is_full);
/*
 * It has got a CPU, and given it up by itself, that number of times so far, and has waited for one that
 * long.
 */
void sprof_timed_began(
	struct timed *timed, uint64_t timeslices, uint64_t switches, uint64_t runq_ns);
/* Whether a timer with another size of copies is to take its place. */
bool sprof_timed_wants_other(const struct timed *timed);
/* With another size of copies, in the place of the old timer. */
void sprof_timed_replaced(struct timed *timed, struct sprof_perf_timer *timer);
/* `told_ns`: its records have told all until then; 0: they have not. `for_good`: it is not opened again. */
void sprof_timed_closed(struct timed *timed, uint64_t told_ns, bool for_good);
/* The thread runs another program: all else is forgotten. Its timer was closed. */
void sprof_timed_executed(struct timed *timed);
/* Its period is now `weight` times that of the ticks. */
void sprof_timed_paced(struct timed *timed, uint64_t now_ns, uint64_t period_ns, double weight);
/* Its ring has room for that many records. */
void sprof_timed_has_room(struct timed *timed, size_t records);
/* Its ring has room for what the thread does in that time. */
uint64_t sprof_timed_room_ns(const struct timed *timed);

/*
 * A tick, which stands for that number of ticks, has found that the thread runs; `periods`: of CPU time
 * since the last one that did.
 */
void sprof_timed_ran(struct timed *timed, const struct timed_look *look, double periods);
/*
 * It has got a CPU that number of times so far. False: it has not slept since the last look. True: its
 * switches tell.
 */
bool sprof_timed_may_have_slept(struct timed *timed, uint64_t timeslices, uint64_t period_ns);
/* It has given it up by itself that number of times; the look stands for `weight` ticks. */
void sprof_timed_gave_up(struct timed *timed, uint64_t switches, uint32_t weight);
/*
 * The thread is seen asleep. Returns the number of ticks that it has slept between looks which found it running,
 * if ticks before them had no look: this sleep stands for them. Where its sleeps are of several lengths, the long
 * ones are met more often, and so have some of the short ones' ticks.
 */
uint32_t sprof_timed_take_naps(struct timed *timed, uint64_t period_ns);
/*
 * The timer had a record of the thread, which had a CPU at that time: its CPU time may tell that much
 * later (nohz_full, where the kernel adds it up once a second).
 */
void sprof_timed_recorded(struct timed *timed, uint64_t tick_ns, uint64_t time_ns);
/* The same for one of the kernel's code, in a system call that is not known: it is no sample. */
void sprof_timed_untold(struct timed *timed, uint64_t tick_ns, uint64_t time_ns);
/* A whole stack has needed that many bytes of a copy. */
void sprof_timed_needed(struct timed *timed, size_t bytes);
/* All of its stack was in the copy; or not, though the copy was full or not. */
void sprof_timed_met_whole(struct timed *timed);
void sprof_timed_was_cut(struct timed *timed, bool was_full);
/* Whether stacks are not whole so often that stops are better. */
bool sprof_timed_is_in_vain(const struct timed *timed);

/*
 * Whether it has not had a CPU for a while: it stands in the queue, where a stop would be long in
 * coming, and where its last record has left it.
 */
bool sprof_timed_is_queued(const struct timed *timed, uint64_t tick_ns);
/*
 * The ticks that it was without a CPU in the midst of its work and that were not told yet: its last
 * sample stands for them, if the sink knows it (has_place).
 */
uint32_t sprof_timed_stood(struct timed *timed, uint64_t period_ns);
/* A stop has given that number of samples; without one, the sink does not know its place. */
void sprof_timed_was_placed(struct timed *timed, uint32_t samples);
/* A new sink begins: it does not know the last sample. */
void sprof_timed_restarted(struct timed *timed);
/* Whether the records tell of all its CPU time: a stop stands for none of it. */
bool sprof_timed_tells_all(const struct timed *timed);
/* Whether this tick has a stop. `most`: at least one in that number of periods of CPU time. */
bool sprof_timed_is_due(const struct timed *timed, double most);
/* Time that it has spent on a CPU or in its queue since the last tick that found it running, in ns. */
uint64_t sprof_timed_awake_ns(const struct timed *timed, uint64_t cpu_ns, uint64_t runq_ns);
/* Whether the records tell nearly all of it: it has not slept, and is hardly in the kernel. */
bool sprof_timed_tells(const struct timed *timed);
/* A stop has found the thread: in the kernel, for that number of ticks. */
uint32_t sprof_timed_met_in_kernel(struct timed *timed);
/* In its own code: for that number of records; 0: the records stand for themselves. */
uint32_t sprof_timed_met_in_user(struct timed *timed);
/* It was waking: for that number of ticks. */
uint32_t sprof_timed_met_waking(struct timed *timed);
/*
 * It had gone to sleep before its stop. False: it has worked since the last look, which is told, and
 * this tick found it at work; its sleep is not of this tick.
 */
bool sprof_timed_was_missed(struct timed *timed);

#endif
