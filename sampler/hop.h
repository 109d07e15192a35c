/*
 * On which CPU sprof runs, and how soon it runs there.
 *
 * A thread that is interrupted from its own CPU is merely preempted: it stops as soon as sprof waits,
 * and sprof is next. Where sprof has no idle CPU to watch from it goes where the threads run, and stays
 * where the last one ran: the next tick finds it there.
 */
#ifndef SPROF_SAMPLER_HOP_H
#define SPROF_SAMPLER_HOP_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sampler/priority.h"

struct sprof_hop {
	cpu_set_t allowed; /* what the user gave us */
	bool usable;       /* more than one CPU, and affinity may be changed */
	struct sprof_priority own; /* before we raised it */
	int loadavg_fd;    /* the kernel's own, which some containers replace; or -1 */
	int schedstat_fd;  /* or -1 */
	uint64_t online;   /* CPUs of the machine */
	uint64_t waited_ns; /* for a CPU, as it was last noted */
	cpu_set_t avoided;  /* CPUs that kept us waiting for long: a real-time thread has them */
	uint64_t avoided_until_ns;
};

/*
 * Asks for a short time slice, and for a higher nice level where that is permitted; never for a
 * real-time class. Both are the calling thread's, and so is all that follows.
 */
void sprof_hop_init(struct sprof_hop *hop);

/* Goes to a CPU, if it is among the allowed ones, and notes what that took. */
void sprof_hop_to(struct sprof_hop *hop, int cpu);

/*
 * Notes how long we have waited for a CPU since the last note: the one that we are on is avoided for
 * half a minute, if it kept us waiting as only a real-time thread does (sched(7)).
 */
void sprof_hop_note_wait(struct sprof_hop *hop);
/* How long that has been since the last note, in ns. */
uint64_t sprof_hop_waited_ns(const struct sprof_hop *hop);

/*
 * Whether more tasks of the machine want a CPU now than there are CPUs, and others among them than ourselves
 * and so many threads of the target. There is no idle CPU to watch from then: while a thread stands still,
 * the kernel would fill its CPU with a task from ours (newly idle balancing, kernel/sched/fair.c), so that
 * it never had one for itself again.
 */
bool sprof_hop_is_crowded(const struct sprof_hop *hop, size_t threads);

/*
 * Whether only the caller and `threads` threads of the target want a CPU now, of all tasks of the machine. False
 * where that is not known.
 */
bool sprof_hop_are_alone(const struct sprof_hop *hop, size_t threads);

/* Whether a thread may run on one CPU only. */
bool sprof_hop_is_pinned(pid_t tid);

/* Leaves a busy CPU, if there is another one. */
void sprof_hop_off(const struct sprof_hop *hop, const cpu_set_t *busy);

/* May run on all allowed CPUs but these; on any, if all are taken: the kernel finds the best then. */
void sprof_hop_keep_off(const struct sprof_hop *hop, const cpu_set_t *taken);

/* Gives the thread back what it had, for a fork and at the end; and takes it again. */
void sprof_hop_restore(const struct sprof_hop *hop);
void sprof_hop_resume(const struct sprof_hop *hop);

void sprof_hop_finish(struct sprof_hop *hop);

#endif
