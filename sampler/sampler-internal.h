/*
 * What the loop keeps of a thread and of a run, in parts: each is the file's that has its type, or is
 * named with it. And what its files ask of each other, but for those with a header of their own.
 */
#ifndef SPROF_SAMPLER_INTERNAL_H
#define SPROF_SAMPLER_INTERNAL_H

#include "sampler/account.h"
#include "sampler/budget.h"
#include "sampler/copy.h"
#include "sampler/facts.h"
#include "sampler/goroutine.h"
#include "sampler/hop.h"
#include "sampler/patience.h"
#include "sampler/pauses.h"
#include "sampler/reuse.h"
#include "sampler/sampler.h"
#include "sampler/samples.h"
#include "sampler/schedule.h"
#include "sampler/slots.h"
#include "sampler/waits.h"

enum { SIGNALS_KEPT = 16 };

/* tick.c: on which CPU the thread was last seen. */
struct known_cpu {
	bool has_run; /* on any, at least once */
	bool pinned;  /* to that one */
	bool starves; /* whoever comes there: it has a real-time policy */
	int number;
	uint64_t seen_ns; /* 0: look again */
};

/* What its last sample was. */
struct last_seen {
	uint32_t stack;
	enum sprof_state state;
	enum sprof_end end;
	enum sprof_way way;
	uint64_t goroutine; /* walk.c: 0: none, or nobody wants to know */
};

/*
 * What the sampler remembers of a thread (struct sprof_thread's sampling). First comes what each tick asks of each
 * sleeper: with many of them, the time goes to fetching it.
 */
struct sampling {
	uint64_t tick_ns;   /* tick.c: the last one in which it had its turn */
	uint32_t place;     /* samples.c: of its last sample */
	struct known_sleep sleep;
	struct thread_wait wait;
	struct sprof_account account;
	uint64_t window_ns; /* charge.c: when the last charge was */
	uint64_t stood_ns;  /* standstill.c: in stops of ours, from when they were seen */
	bool has_ended;     /* charge.c: it is charged no more */
	bool lost;          /* peek.c: its last stop came too late for its tick */
	struct last_seen last;
	struct known_cpu cpu;
	struct copy_plan copy;
	bool sought_thread; /* peek.c: its thread pointer was looked for */
	uint64_t faults; /* mappings.c: page faults so far */
	struct first_facts facts;
	char name[SPROF_COMM_MAX];
};

/* A stack that has been walked, and interned. */
struct sprof_walked {
	uint32_t stack;
	enum sprof_end end;
	enum sprof_way way;
};

/* sampler.c: when to sample. */
struct pace {
	uint64_t begin_ns, end_ns; /* of the run; UINT64_MAX: not known yet */
	struct sprof_schedule schedule;
	struct sprof_budget budget;
};

/* periods.c */
struct period {
	uint64_t begin_ns, end_ns;   /* the end as it is planned */
	uint64_t ask_ns;             /* when to ask whether it may end */
	uint64_t own_cpu_ns;         /* used before it */
	uint64_t stopped_ns;         /* for which threads stood still before it */
	uint32_t threads, processes; /* seen before it and gone */
};

/* tick.c: the one that is being taken, or was the last. */
struct tick {
	uint64_t ns, last_ns; /* of this one, and of the one before */
	struct patience patience; /* how long it waits for stops; zeroed: none was waited for yet */
	uint32_t thread_count;
	size_t running, planned; /* threads that were running when it began, if that is known; that are to be stopped */
	bool closing; /* every thread is charged up to it */
	bool is_past; /* what is emitted now was slept through before it: locks have changed hands since */
};

/* charge.c: what the machine's CPUs have lost, and when that was read. */
struct known_cpus {
	struct sprof_proc_cpus cpus;
	uint64_t read_ns; /* 0: never */
};

/* peek.c */
struct peeking {
	struct copy_buffer buffer;
};

/* sampler.c: those that came while threads were stopped. */
struct kept_signals {
	siginfo_t kept[SIGNALS_KEPT];
	unsigned count;
};

/* A run. */
struct sampler {
	const struct sprof_sampler_parts *parts;
	const struct sprof_sampler_options *options;
	struct sprof_quality *quality;
	struct pace pace;
	struct period period;
	struct tick tick;
	struct known_cpus cpus;
	struct slots slots;
	struct peeking peek;
	struct waits waits;
	struct samples samples;
	struct sprof_hop hop;
	struct sprof_pauses pauses;
	struct kept_signals signals;
	bool over; /* no traced thread is left, or the control said so */
	bool out_of_memory;
};

/* tick.c: a sample of every thread. */
void sprof_tick(struct sampler *sampler);

/*
 * peek.c: the sample of a sleeper, with its figures and its call as they were read just now. False: it
 * has moved, and has to be stopped.
 */
bool sprof_peek(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_schedstat *schedstat, const struct sprof_proc_syscall *call);
/* The sample of a thread that did not stop in time: it must be asleep by now, uninterruptibly. */
void sprof_peek_late(struct sampler *sampler, struct sprof_thread *thread);

/*
 * denied.c: the sample of a sleeper of a process that does not let us read where it sleeps. False: it does
 * not sleep.
 */
bool sprof_denied_take(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_schedstat *schedstat);

/*
 * stops.c: stops the threads of all slots, copies, lets them go on, and then takes the samples. Threads of the
 * target may end meanwhile.
 */
void sprof_stops_take(struct sampler *sampler);
/* Whether that should not be put off: what the threads of the slots were seen running may soon be over. */
bool sprof_stops_are_due(const struct sampler *sampler);
/* A thread has stopped between ticks, for a tick that has passed and has no sample of it yet. */
void sprof_stops_take_late(struct sampler *sampler, struct sprof_thread *thread);
/* Waits for the stops that are still to come, so that the run can end without leaving one behind. */
void sprof_stops_drain(struct sampler *sampler);
/* A slot for the thread, with room for its copy. */
void sprof_stops_add(
	struct sampler *sampler, struct sprof_thread *thread, const struct slot_before *before);

/* standstill.c: copies the slot's thread, which has stopped, and lets it go on. */
void sprof_standstill_copy(struct sampler *sampler, struct slot *slot);
/* The end of a stop that nobody needs any more: nothing of it may be seen but the pause. */
void sprof_standstill_end(struct sprof_thread *thread);

/* walk.c: so many samples have a stack that ended so, and was found in such a way. */
void sprof_walk_count(
	struct sprof_quality *quality, enum sprof_end end, enum sprof_way way, uint32_t times);
/* Walks and interns the copied stack; maps are read again where that may help. */
struct sprof_walked sprof_walk_copy(struct sampler *sampler, struct sprof_thread *thread,
	struct sprof_snapshot *snapshot);

/* stopped.c: the sample of a stopped thread, or why there is none. */
void sprof_stopped_finish(struct sampler *sampler, struct slot *slot);

/* mappings.c: reads the maps of the process, unless that was in vain of late. True: they have changed. */
bool sprof_mappings_read(struct sampler *sampler, struct sprof_process *process);
/* Reads them at the first sight of the process: how a stack is to be copied depends on the program. */
void sprof_mappings_begin(struct sampler *sampler, struct sprof_process *process);
/* Reads them if they are old. */
void sprof_mappings_refresh(struct sampler *sampler, struct sprof_process *process);
/* Takes note of what tells that the mappings may have changed; the thread is being sampled. */
void sprof_mappings_doubt(struct sprof_thread *thread, const struct sprof_proc_stat *stat);
/* Whether the stack was walked with mappings that are still there, as far as can be told cheaply. */
bool sprof_mappings_hold(struct sampler *sampler, struct sprof_process *process,
	const struct sprof_stack_view *stack);

/* sampler.c: the figures up to now. */
void sprof_sampler_fill_quality(struct sampler *sampler);
/* A tick that charges every thread up to it. */
void sprof_sampler_charge_all(struct sampler *sampler);

/* periods.c: the first period begins; the one whose end has come is ended, if that is possible. */
void sprof_period_begin(struct sampler *sampler);
void sprof_period_end(struct sampler *sampler);

/*
 * charge.c: the figures that a thread's account begins with: of one that was born under our eyes, and has
 * used nothing before, or of any other. False: it is gone.
 */
bool sprof_charge_begin(struct sampler *sampler, struct sprof_thread *thread, bool is_all_ours,
	struct sprof_figures *ret);
/* Hands out the time since the last charge, if a window is full. The figures must be exact now. */
void sprof_charge_window(struct sampler *sampler, struct sprof_thread *thread);
/* At the last tick: only for a thread that got no CPU to stop on in it. */
bool sprof_charge_is_behind(const struct sampler *sampler, const struct sprof_thread *thread);
/* The thread has ended, though the kernel does not say so yet: its time ends here. */
void sprof_charge_ended(struct sampler *sampler, struct sprof_thread *thread);
/*
 * Hands out what is left: what was charged has all the samples that it will get. `with_figures`: the
 * thread's figures are exact now, and have not all been handed out.
 */
void sprof_charge_last(struct sampler *sampler, struct sprof_thread *thread, bool with_figures);

/* threads.c: what is kept of the thread, from now on. NULL: it is gone, or there is no memory. */
struct sampling *sprof_sampling_of(struct sampler *sampler, struct sprof_thread *thread);
void sprof_sampling_name(struct sampler *sampler, struct sprof_thread *thread, bool new_program);
/* The sink is a new one: it hears of the thread again, and nothing that the last one said is valid. */
void sprof_sampling_restart(struct sampler *sampler, struct sprof_thread *thread);
/* It has ended, or the run has: what is left is handed out, as sprof_charge_last() has it. */
void sprof_sampling_end(struct sampler *sampler, struct sprof_thread *thread, bool with_figures);

/* sampler.c: what must be done about an event that is no stop of ours. */
void sprof_sampler_event(struct sampler *sampler, const struct sprof_event *event);

#endif
