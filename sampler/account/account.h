/*
 * Times of a thread, from the kernel's figures: wall = user + sys + runq + wait + stolen.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach/proc/procfs.h"
#include "base/attributes.h"
#include "base/record.h"
#include "sampler/switches/switching.h"

struct sprof_thread;
struct sprof_world;

/* The kernel's figures of a thread at one moment, plus what sprof itself knows. */
struct sprof_figures {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns, runq_ns;
	uint64_t user_ticks, system_ticks;
	bool is_worker;      /* of the kernel: it has system time only, which ticks may not show */
	uint64_t disk_ticks; /* 0: none, or the kernel does not count them */
	uint64_t faults;     /* page faults, with and without input */
	bool has_switches;
	uint64_t switches;           /* voluntary, without those of its ptrace-stops */
	uint64_t stood_ns;           /* time in our stops since the last advance */
	bool is_stopping;            /* it is in one that was not dispatched yet */
	struct sprof_proc_cpus cpus; /* of the machine */
	struct switching_off off;    /* up to time_ns; not known: no switches are recorded */
};

struct sprof_account {
	/* when it began: what came before is not handed out */
	struct {
		uint64_t time_ns, cpu_ns, runq_ns, user_ticks, system_ticks, disk_ticks;
		struct sprof_proc_cpus cpus;
	} start;
	struct { /* at the last advance */
		uint64_t time_ns, faults, disk_ticks, switches;
	} last;
	struct sprof_times handed_out;
	/* since the last advance: ns in each blocked state, by samples or recorded waits */
	uint64_t blocked[SPROF_STATE_COUNT];
	enum sprof_state last_blocked; /* the state of the last sample; USER: none yet */
	/* the looks so far, in periods of the ticks, and those that found it blocked */
	uint64_t looks, blocked_looks;
	uint64_t looked_ns; /* the last look */
	uint64_t kept_ns;   /* blocked time kept for later */
	/* stolen time that the machine's figures account for */
	uint64_t lost_ns;
	/*
	 * recorded switches determine the blocked time since the record began, or resumed after a
	 * gap: time off the CPU less the run queue, plus this
	 */
	int64_t off_base_ns, off_wait_base_ns;
	uint32_t off_gaps; /* gaps so far */
};

/*
 * Without schedstat (all zero, see sched_info in the kernel's configuration) the CPU time comes
 * from stat, in ticks.
 */
struct sprof_figures sprof_figures_make(uint64_t time_ns,
	const struct sprof_proc_schedstat *schedstat, const struct sprof_proc_stat *stat);

/* A thread that was born during the run begins with zero figures: all that it has used counts. */
void sprof_account_init(struct sprof_account *account, const struct sprof_figures *start);

/* A look found the thread in this state, or was left out because timers cover the thread. */
void sprof_account_look(
	struct sprof_account *account, enum sprof_state state, uint64_t now_ns, uint64_t period_ns);
/* A sample in this state explains that time. Blocked time is divided in this proportion. */
void sprof_account_weigh(struct sprof_account *account, enum sprof_state state, uint64_t ns);

/*
 * The times since the last call. If more samples follow (not `is_last`), blocked time that none
 * explains yet is kept for them. Blocked time is split into sleep, disk and stopped. Disk time is
 * the kernel's delay accounting, if that is on; the rest follows the samples. Time that is neither
 * CPU time nor run queue is blocked time only if something says that the thread slept; otherwise it
 * is stolen. The figures must be exact at their time: take them from a thread that was off the CPU,
 * has just been stopped or has ended, because the kernel books a running thread's time late.
 */
struct sprof_times sprof_account_advance(
	struct sprof_account *account, const struct sprof_figures *now, bool is_last);
/* The same for a thread that has slept since then: its other figures are unchanged. */
struct sprof_times sprof_account_sleep(
	struct sprof_account *account, const struct sprof_figures *now);
/* Whether the thread has no more CPU time and run-queue time than were handed out. */
bool sprof_account_has_slept(
	const struct sprof_account *account, const struct sprof_proc_schedstat *now);

/* figures.c: reads what the kernel counts of a thread: its times, switches, faults and bytes. */

/* Read at one moment. Exact if the thread was off the CPU, or had just been stopped. */
struct reading {
	struct sprof_figures figures; /* except for the machine's */
	struct sprof_thread_facts facts;
	struct sprof_proc_schedstat schedstat;
};

/* Returns false if the thread is gone. */
SPROF_MUST_USE bool sprof_reading_take(
	const struct sprof_world *world, struct sprof_thread *thread, struct reading *ret);

/* The first figures of a thread that was born during the run: all that it has used counts. */
struct sprof_figures sprof_figures_at_birth(
	const struct sprof_world *world, struct sprof_thread *thread);
