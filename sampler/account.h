/*
 * From the kernel's figures of a thread to times that add up: wall = user + sys + runq + wait + stolen.
 */
#ifndef SPROF_SAMPLER_ACCOUNT_H
#define SPROF_SAMPLER_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "attach/procfs.h"
#include "base/record.h"

/* What the kernel says of a thread at one moment, and what sprof knows of it besides. */
struct sprof_figures {
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns, runq_ns;
	uint64_t user_ticks, system_ticks;
	uint64_t disk_ticks; /* 0: none, or the kernel does not count them */
	bool more_to_come;   /* blocked time that no sample tells the kind of may be kept for later */
	bool has_switches;
	uint64_t switches; /* voluntary ones, without those of its ptrace-stops */
	uint64_t stood_ns; /* for how long it stood still for samples */
	struct sprof_proc_cpus cpus; /* of the machine */
};

struct sprof_account {
	struct sprof_figures start;
	struct sprof_times handed_out;
	uint32_t blocked[SPROF_STATE_COUNT]; /* samples in each blocked state since the last advance */
	enum sprof_state last_blocked;       /* the state of the last of them; USER: none yet */
	uint64_t samples, blocked_samples;   /* all of them */
	uint64_t kept_ns;                    /* blocked time that is kept for later */
	uint64_t stood_ns, switches;         /* as they were at the last advance */
	uint64_t lost_ns;                    /* stolen time that the machine's figures account for */
};

/*
 * Without schedstat (all zero, see sched_info in the kernel's configuration) the CPU time is that of
 * stat, in ticks.
 */
struct sprof_figures sprof_figures_make(uint64_t time_ns,
	const struct sprof_proc_schedstat *schedstat, const struct sprof_proc_stat *stat);

/*
 * Begins with these figures. For a thread born during the run pass zero figures with its birth as the
 * time: all it has used is its own.
 */
void sprof_account_init(struct sprof_account *account, const struct sprof_figures *start);

/* The thread was seen in this state, at `count` ticks. */
void sprof_account_see(
	struct sprof_account *account, enum sprof_state state, uint32_t count);

/*
 * The times since the last call. Blocked time is split into sleep, disk and stopped: disk as the
 * kernel's delay accounting has it where that is on, everything else as the thread was seen. What is
 * neither CPU time nor run queue is blocked time only as far as something says that the thread slept;
 * the rest is stolen. The figures must be exact at their time: of a thread that was off the
 * CPU, has just been stopped, or has ended, because the kernel books a running thread's time late.
 */
struct sprof_times sprof_account_advance(
	struct sprof_account *account, const struct sprof_figures *now);

#endif
