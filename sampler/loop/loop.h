/*
 * The state of a run's loop, shared by sampler.c and the files of this folder.
 */
#pragma once

#include <signal.h>

#include "sampler/loop/schedule.h"
#include "sampler/switches/exact.h"
#include "sampler/tick/tick.h"

enum { SIGNALS_KEPT = 16 };

/* pause.c: whether samples are taken. */
struct sampling_switch {
	bool is_on;
	uint64_t planned_ns; /* the end of the delay switches it on; UINT64_MAX: only the control */
	uint64_t since_ns;   /* the present state */
	uint64_t on_ns, off_ns; /* time on and off before since_ns, in this period */
};

struct pace {
	uint64_t begin_ns, end_ns; /* of the run; UINT64_MAX: not known yet */
	struct sprof_schedule schedule;
	struct sprof_budget budget;
};

/* periods.c */
struct period {
	uint64_t end_ns;             /* the planned one */
	uint64_t ask_ns;             /* when to ask whether it may end */
	uint64_t own_cpu_ns;         /* used before the period */
	uint64_t stopped_ns;         /* how long threads stood still before the period */
	uint32_t threads, processes; /* seen and gone before the period */
};

/* Signals that came while threads were stopped. */
struct kept_signals {
	siginfo_t kept[SIGNALS_KEPT];
	unsigned count;
};

/* event-stacks.c: the loop's stacks, for sources of single events (struct sprof_event_stacks). */
struct event_stacks {
	struct run *run;
	struct book *book;
	struct peeking peeking;   /* also for threads that stand still */
	struct observation taken; /* the copy under way: its snapshot is NULL if there is none */
	struct sprof_event_stacks offered;
};

struct loop {
	struct run run;
	const struct sprof_control *control;
	const struct sprof_periods *periods;            /* NULL: there are none */
	const struct sprof_event_source *const *events; /* NULL: there are none */
	struct sampling_switch sampling;
	struct pace pace;
	struct period period;
	struct book book;
	struct stops stops;
	struct kernel kernel; /* in use if ticking.kernel says so */
	struct ticking ticking;
	struct event_stacks event_stacks;
	struct exact exact; /* in use if it is open */
	struct kept_signals signals;
	bool over;      /* no traced thread is left, or the control said so */
	bool is_closed; /* the records of all threads are gone */
};

/* event-stacks.c: offers them to all sources of events. */
void sprof_event_stacks_init(struct loop *loop);

/* Our own CPU time plus the time that the target's threads stood still for us. */
static inline uint64_t spent_ns(const struct loop *loop)
{
	return loop->run.world->own_cpu_ns() + loop->period.stopped_ns + loop->stops.pauses.total;
}

/* periods.c: fills in the quality figures up to now. */
void sprof_loop_fill_quality(struct loop *loop);
/* A tick that charges every thread up to now. */
void sprof_loop_charge_all(struct loop *loop);
/* Settles every thread, because its sink gets nothing more. */
void sprof_loop_settle_all(struct loop *loop);

/* pause.c: settles whether the run begins with sampling on. */
void sprof_switch_init(struct loop *loop);
/*
 * Switch sampling on or off; nothing changes if it already is. Off: all threads were just charged.
 */
void sprof_switch_on(struct loop *loop);
void sprof_switch_off(struct loop *loop);
/* For how long it was on, and off, in this period. */
uint64_t sprof_switch_on_ns(const struct loop *loop);
uint64_t sprof_switch_off_ns(const struct loop *loop);

/* periods.c: ends a period whose end has come, if that is possible. */
void sprof_period_end(struct loop *loop);
