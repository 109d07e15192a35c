/*
 * What the files of the sampling loop share.
 */
#ifndef SPROF_SAMPLER_INTERNAL_H
#define SPROF_SAMPLER_INTERNAL_H

#include "sampler/account.h"
#include "sampler/budget.h"
#include "sampler/hop.h"
#include "sampler/pauses.h"
#include "sampler/sampler.h"
#include "sampler/schedule.h"
#include "sampler/waits.h"

enum {
	FIRST_COPY = 32 * 1024,         /* bytes of stack; grown per thread when it was too little */
	LARGEST_COPY = 8 * 1024 * 1024, /* the usual stack limit */
	SIGNALS_KEPT = 16,
};

/* What the sampler remembers of a thread (struct sprof_thread's sampling). */
struct sampling {
	struct sprof_account account;
	uint64_t window_ns; /* when the last charge was */
	char name[SPROF_COMM_MAX];
	size_t copy_size;
	uint64_t home_end, home_sp; /* its own stack: the end of the mapping, and where sp was last */
	bool lost;    /* its last stop came too late for its tick */
	bool has_run; /* it has had a CPU at least once */
	uint64_t faults; /* page faults so far */
	int cpu;      /* where it was last seen, and when; 0: look again */
	bool pinned;  /* to that one CPU */
	uint64_t cpu_ns;
	/* The sleep that it was last seen in, to be repeated for as long as `timeslices` stays. */
	bool asleep;
	uint64_t timeslices;
	struct sprof_figures figures; /* the kernel's, which stand still as long */
	uint32_t stack;
	enum sprof_state state;
	enum sprof_end end;
	/* Ticks it has slept through, ticks not to look at it, ticks not looked at since the last look. */
	uint32_t slept, skip, skipped;
	/*
	 * Samples of a sleep that can't be walked without the frame pointer, nor broken off: they are taken
	 * when the thread stops at its end, for which it has been asked.
	 */
	uint32_t owed;
	uint64_t owed_since_ns, owed_sp, owed_pc;
	/* The frame pointer that a stop found in a sleep at this place, good until `fp_timeslices`. */
	bool fp_known;
	uint64_t fp, fp_sp, fp_pc, fp_timeslices;
	/* What it was last seen waiting for, and by what that is known again. */
	uint32_t wait;
	int64_t wait_call, last_call; /* the latter running or not, and never restart_syscall */
	uint64_t wait_sp, wait_argument, wait_found_ns, last_sp;
	struct lock_watch watch;
	pid_t own_tid; /* as its process knows it */
	struct sprof_thread_facts start; /* what had been counted before */
};

struct copy_buffer {
	uint8_t *bytes;
	size_t capacity;
};

enum slot_phase {
	SLOT_PLANNED,
	SLOT_ASKED,  /* to stop, in this tick */
	SLOT_QUEUED, /* asked, perhaps ticks ago, and waits for a CPU to stop on */
	SLOT_COPIED,
	SLOT_FAILED, /* it stopped, and was gone before its registers could be read */
	SLOT_GONE,   /* the thread has ended, or runs another program now */
};

/* What is known of a thread before its stop. */
struct slot_before {
	enum sprof_state state; /* USER stands for "running" */
	int cpu;                /* where it ran last */
	uint64_t timeslices;    /* of a sleeper */
	uint64_t sp, pc;        /* the same: where it slept */
};

/* One thread to be stopped in this tick, and what was copied from it. */
struct slot {
	struct sprof_thread *thread;
	struct slot_before before;
	enum slot_phase phase;
	bool awaited;      /* asked in this tick, which waits for it */
	bool near;         /* awaited awake: it runs on a CPU, and we on another one */
	unsigned distance; /* of its CPU from ours */
	uint64_t requested_ns;
	struct sprof_snapshot snapshot;
	struct copy_buffer buffer;
};

/* A stack that has been walked, and interned. */
struct sprof_walked {
	uint32_t stack;
	enum sprof_end end;
};

struct sampler {
	const struct sprof_sampler_parts *parts;
	const struct sprof_sampler_options *options;
	struct sprof_quality *quality;
	struct sprof_schedule schedule;
	struct sprof_budget budget;
	uint64_t stopped_before_ns; /* in the periods before */
	struct sprof_pauses pauses;
	struct sprof_hop hop;
	uint64_t begin_ns;
	struct period {
		uint64_t begin_ns, end_ns; /* the end as it is planned */
		uint64_t ask_ns;           /* when to ask whether it may end */
		uint64_t own_cpu_ns;       /* used before it */
		uint32_t threads, processes; /* seen before it and gone */
	} period;
	uint64_t tick_ns;
	uint32_t thread_count; /* at this tick */
	struct slot *slots;
	size_t slot_count, slot_capacity;
	struct slot spare;              /* for a stop that no slot waits for */
	uint64_t stop_deadline_ns;      /* of this tick's stops */
	uint64_t unwalked_pc;           /* where a sleep was last seen that wants the frame pointer */
	struct copy_buffer peek_buffer;
	struct waits waits;
	siginfo_t signals[SIGNALS_KEPT]; /* that came while threads were stopped */
	unsigned signal_count;
	bool closing; /* the last tick: every thread is charged up to it */
	bool over; /* no traced thread is left, or the control said so */
	bool out_of_memory;
};

/* tick.c: a sample of every thread. */
void sprof_tick(struct sampler *sampler);

/* reuse.c: true: it sleeps on, and its sample is taken, or it was passed over. */
bool sprof_reuse(struct sampler *sampler, struct sprof_thread *thread);
/* Credits the ticks at which a long sleeper was not looked at: it slept through them. */
void sprof_reuse_flush(struct sampler *sampler, struct sprof_thread *thread);

/*
 * peek.c: the sample of a sleeper, with its figures and its call as they were read just now. False: it
 * has moved, and has to be stopped.
 */
bool sprof_peek(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_schedstat *schedstat, const struct sprof_proc_syscall *call);
/* The sample of a thread that did not stop in time: it must be asleep by now, uninterruptibly. */
void sprof_peek_late(struct sampler *sampler, struct sprof_thread *thread);

/* stops.c: stops the threads of all slots, copies, lets them go on, and then takes the samples. */
void sprof_stops_take(struct sampler *sampler);
/* A thread has stopped between ticks, for a tick that has passed: what it is owed is still taken. */
void sprof_stops_take_late(struct sampler *sampler, struct sprof_thread *thread);
/* Waits for the stops that are still to come, so that the run can end without leaving one behind. */
void sprof_stops_drain(struct sampler *sampler);
/* A slot for the thread, with room for its copy. */
void sprof_stops_add(
	struct sampler *sampler, struct sprof_thread *thread, const struct slot_before *before);
/* Asks the thread to stop when it can, between ticks. False: it is gone, or there is no memory. */
bool sprof_stops_ask(struct sampler *sampler, struct sprof_thread *thread);
void sprof_stops_finish(struct sampler *sampler);

/* standstill.c: copies the slot's thread, which has stopped, and lets it go on. */
void sprof_standstill_copy(struct sampler *sampler, struct slot *slot);
/* The end of a stop that nobody needs any more: nothing of it may be seen but the pause. */
void sprof_standstill_end(struct sprof_thread *thread);

/* stopped.c: the sample of a stopped thread, or why there is none. */
void sprof_stopped_finish(struct sampler *sampler, struct slot *slot);
/* Only what is owed to the thread, or the sample that was, if it had already gone on. */
void sprof_stopped_pay(struct sampler *sampler, struct slot *slot);

/* owed.c: asks a sleeper to stop, if its sleep is one whose samples can be owed. */
bool sprof_owed_ask(struct sampler *sampler, struct sprof_thread *thread, char letter,
	const struct sprof_proc_syscall *call);
/* It has been asked, and this sample is owed. */
void sprof_owed_begin(struct sampler *sampler, const struct sprof_thread *thread,
	const struct sprof_proc_syscall *call);
/* More of them, if there are any. */
bool sprof_owed_more(struct sampling *sampling, uint32_t times);
/*
 * True: the sleep was over before the thread was asked, right after it had been looked at. Nothing is owed
 * then; where it stopped is its sample.
 */
bool sprof_owed_cancel(struct sampling *sampling, const struct sprof_regs *regs);
/* They become samples: on the stack of the stop at the end of the sleep, or as it was seen. */
void sprof_owed_pay(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_regs *regs, const struct sprof_walked *walked);
void sprof_owed_forgive(struct sampler *sampler, struct sprof_thread *thread);

/*
 * copy.c: the used part of the stack from sp on; snapshot->regs has sp. `ahead`: see below, or NULL.
 * Where sp leads nowhere, or memory can't be read, the copy is empty: there is still a leaf. False: the
 * process has no memory any more, and the thread no sample.
 */
bool sprof_copy_stack(const struct sprof_thread *thread, struct copy_buffer *buffer,
	const struct sprof_stack_copy *ahead, struct sprof_snapshot *snapshot);
/*
 * The stack from where sp was last, for sprof_copy_stack() to complete: a thread that stops on another
 * CPU can already not change it, but is for another microsecond on its way off that CPU, and so long its
 * registers can't be had.
 */
void sprof_copy_ahead(const struct sprof_thread *thread, struct copy_buffer *buffer,
	struct sprof_stack_copy *ret);
/* A complete walk that has not left the copied stack was on the thread's own, or on a coroutine's. */
void sprof_copy_settle(const struct sprof_thread *thread, const struct sprof_snapshot *snapshot,
	uint64_t outermost_sp);
/* Room for the largest copy of the thread. False: no memory. */
bool sprof_copy_reserve(struct copy_buffer *buffer, const struct sampling *sampling);
/* Whether there is such room already. */
bool sprof_copy_has_room(const struct copy_buffer *buffer, const struct sampling *sampling);

/* mappings.c: reads the maps of the process, unless that was in vain of late. True: they have changed. */
bool sprof_mappings_read(struct sampler *sampler, struct sprof_process *process);
/* Reads them if they are old. */
void sprof_mappings_refresh(struct sampler *sampler, struct sprof_process *process);
/* Takes note of what tells that the mappings may have changed; the thread is being sampled. */
void sprof_mappings_doubt(struct sprof_thread *thread, const struct sprof_proc_stat *stat);
/* Whether the stack was walked with mappings that are still there, as far as can be told cheaply. */
bool sprof_mappings_hold(struct sampler *sampler, struct sprof_process *process,
	const struct sprof_stack_view *stack);

/* facts.c: tells the sink what the kernel has counted of the thread since its first sight. */
void sprof_sampling_begin_facts(struct sprof_thread *thread, bool is_all_ours);
void sprof_sampling_tell_facts(
	struct sampler *sampler, struct sprof_thread *thread, const struct sprof_proc_stat *stat);

/* sampler.c: the figures up to now. */
void sprof_sampler_fill_quality(struct sampler *sampler);
/* A tick that charges every thread up to it. */
void sprof_sampler_charge_all(struct sampler *sampler);

/* periods.c: the first period begins; the one whose end has come is ended, if that is possible. */
void sprof_period_begin(struct sampler *sampler);
void sprof_period_end(struct sampler *sampler);

/* threads.c: figures, names and the end of threads. */
struct sampling *sprof_sampling_of(struct sampler *sampler, struct sprof_thread *thread);
void sprof_sampling_name(struct sampler *sampler, struct sprof_thread *thread, bool new_program);
/* Hands out the time since the last charge, if a window is full. The figures must be exact now. */
void sprof_sampling_charge(struct sampler *sampler, struct sprof_thread *thread);
/* At the last tick: only for a thread that got no CPU to stop on in it. */
bool sprof_sampling_has_time_left(
	const struct sampler *sampler, const struct sprof_thread *thread);
/* What was charged has all the samples that it will get. */
void sprof_sampling_settle(struct sampler *sampler, struct sprof_thread *thread);
/* The sink is a new one: it hears of the thread again, and nothing that the last one said is valid. */
void sprof_sampling_restart(struct sampler *sampler, struct sprof_thread *thread);
/* Hands out what is left. `with_figures`: the thread's figures are exact now, and have not all been handed out. */
void sprof_sampling_end(struct sampler *sampler, struct sprof_thread *thread, bool with_figures);

/* sampler.c: what must be done about an event that is no stop of ours. */
void sprof_sampler_event(struct sampler *sampler, const struct sprof_event *event);

/* The sample goes to the sink, if it is of the mode. */
void sprof_sampler_emit(struct sampler *sampler, const struct sprof_thread *thread,
	const struct sprof_sample *sample);
/* Walks and interns the copied stack; maps are read again where that may help. */
struct sprof_walked sprof_sampler_walk(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_snapshot *snapshot);

#endif
