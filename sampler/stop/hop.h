/*
 * On which CPU sprof runs, and how soon it runs there.
 *
 * A thread interrupted from its own CPU is merely preempted: it stops as soon as sprof waits, and
 * sprof is next. Without an idle CPU to watch from, sprof moves to the CPUs of the threads, and
 * stays on that of the last one: the next tick finds it there. It leaves them if it only reads what
 * the kernel has recorded, because that takes their time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cpu-set.h"

/* priority.c: the calling thread's policy, nice level, time slice and timer slack. */

/* struct sched_attr of sched_setattr(2); the C library of Debian 12 lacks both. */
struct sprof_sched_attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

/* What the thread had before anything was changed. */
struct sprof_priority {
	bool known;
	struct sprof_sched_attributes attributes;
	int slack_ns;
};

void sprof_priority_init(struct sprof_priority *own);

/*
 * Asks for a short time slice and exact timers, and for a higher nice level if that is permitted. A
 * policy other than SCHED_OTHER is the user's choice and is kept as it is.
 */
void sprof_priority_raise(const struct sprof_priority *own);

void sprof_priority_restore(const struct sprof_priority *own);

/* Rises with the priority of a real-time thread (sched(7)). 0: it is none. */
uint64_t sprof_priority_rank(uint64_t policy, uint64_t priority);
/* Whether a thread of this rank leaves us no CPU time while it runs. */
bool sprof_priority_is_starved_by(const struct sprof_priority *own, uint64_t rank);

struct sprof_hop {
	struct sprof_cpu_set allowed; /* CPUs that the user allows */
	bool usable;                  /* more than one CPU, and affinity may be changed */
	struct sprof_priority own;    /* before we raised it */
	int schedstat_file;           /* or -1 */
	uint64_t online;              /* CPUs of the machine */
	uint64_t queued_ns;           /* our run-queue time at the last note */
	/* CPUs with a real-time thread: they kept us waiting for long */
	struct sprof_cpu_set avoided;
	uint64_t avoided_until_ns;
};

/* Raises our priority. This and all functions below act on the calling thread. */
void sprof_hop_init(struct sprof_hop *hop);

/* Moves to a CPU, if that is allowed, and notes the time that this took. */
void sprof_hop_to(struct sprof_hop *hop, int cpu);

/*
 * Lets the thread of our CPU run on, and waits for a timer to interrupt it: that may be at any of
 * its instructions. An interrupt from another CPU takes its time, up to 100 us in virtual machines;
 * by then, a thread that enters the kernel often has done so, and stops there. The same holds when
 * we arrive on its CPU.
 */
void sprof_hop_wait_for_timer(void);

/*
 * Notes how long we have been queued for a CPU since the last note. If that is so long that only a
 * real-time thread can be the reason (sched(7)), our CPU is avoided for half a minute.
 */
void sprof_hop_note_queued(struct sprof_hop *hop);
/* The queued time since the last note, in ns. */
uint64_t sprof_hop_queued_ns(const struct sprof_hop *hop);

/*
 * Whether the machine has more `runnable` tasks than CPUs, not counting us and `threads` threads of
 * the target. Then no CPU is idle to watch from: while a thread stands still, the kernel would fill
 * its CPU with a task from ours (newly idle balancing, kernel/sched/fair.c), and the thread would
 * never have its own CPU again.
 */
bool sprof_hop_is_crowded(const struct sprof_hop *hop, uint64_t runnable, size_t threads);

/* Leaves a busy CPU, if there is another one that is not avoided. */
void sprof_hop_off(const struct sprof_hop *hop, const struct sprof_cpu_set *busy);

/*
 * Notes how long we were queued. If that was too long since the last note, others leave us no time
 * on this CPU: allows all CPUs again, except for avoided ones. Returns whether it was too long.
 */
bool sprof_hop_widen_if_queued(struct sprof_hop *hop);

/* Allows all CPUs but these; if all are taken, any: then the kernel finds the best. */
void sprof_hop_keep_off(const struct sprof_hop *hop, const struct sprof_cpu_set *taken);

/* Restores the thread's own scheduling and CPUs, for a fork and at the end. */
void sprof_hop_restore(const struct sprof_hop *hop);

void sprof_hop_finish(struct sprof_hop *hop);
