/*
 * A world for the sampler without a process and without time: threads that follow a script, a clock
 * that each question advances, and a sink that compares all reports with what the threads did.
 */
#pragma once

#include "events/perf/timer.h"
#include "sampler/sampled.h"
#include "sampler/sampler.h"
#include "sampler/world.h"

enum {
	FAKE_WORD = 20,  /* words of the memory: a mutex, with some memory around it, */
	FAKE_OWNER = 22, /* and its owner (blocked/futex.h) */
	FAKE_THREADS = 128,
	FAKE_PROCESSES = 4,
	FAKE_ACTS = 256,
	FAKE_STACKS = 4096,
	FAKE_ORDERS = 8,
	FAKE_PROGRAMS = 16, /* that a thread executes, and are counted */
	FAKE_RECORDS = 64,
	FAKE_PID = 0x40000000, /* above any real one */
	FAKE_OWN_TID = 101,    /* of thread 0, inside its process */
};

enum doing {
	DOING_USER,
	DOING_CALL,    /* runs in a system call */
	DOING_SLEEP,   /* in a call */
	DOING_RESTART, /* the same call, which the kernel has restarted */
	DOING_FAULT,   /* waits for a page, in no call */
	DOING_DISK,
	DOING_GROUP_STOP,
	DOING_READY, /* waits for a CPU; its stack is still the last act's */
	DOING_EXEC,  /* takes no time: another program begins */
	DOING_END,
};

struct act {
	enum doing doing;
	uint64_t ns; /* of the thread's own time: stops don't count */
};

/* A timer in the kernel of a thread: what it has written down and was not read yet. */
struct sprof_perf_timer {
	struct fake_thread *thread;
	uint64_t period_ns, left_ns; /* of the thread's CPU time */
	size_t stack_size, room;
	struct sprof_perf_timer_record records[FAKE_RECORDS];
	size_t first, count;
	uint64_t lost;
};

struct fake_thread {
	struct sprof_thread thread;
	struct act acts[FAKE_ACTS];
	size_t act_count;
	uint64_t birth_ns;
	uint64_t latency_ns;  /* from an interrupt to the stop */
	uint64_t deaf_ns;     /* that long after birth its stops don't come at all */
	uint64_t renamed_ns;  /* when it changes its name; 0: never */
	uint64_t unreaped_ns; /* that long after its end nobody hears of the end */
	bool is_shared;       /* its futex: other processes may use it */
	uint64_t futex;       /* of its calls: address of the word; 0: no futex calls */
	size_t deep;          /* bytes of its stack that a timer has to copy */
	size_t deeper;        /* those in records; 0: as many as at stops */

	/* Its present place. */
	bool is_born, is_told_end, is_zombie;
	size_t act;
	uint64_t act_ns;  /* elapsed in the act */
	unsigned program; /* number of execs */
	size_t stack_act; /* the act that its stack belongs to */
	uint64_t cpu_ns, user_ns, runq_ns, timeslices, faults, stood_ns, blocked_ns;
	uint64_t end_ns;   /* when it ended */
	uint64_t stop_ns;  /* when the requested stop comes; 0: none */
	bool said_running; /* it was last reported as running */
	bool was_entering; /* it was once known to enter the kernel often */
	unsigned interrupts_asleep;
	uint64_t ran_ns; /* when it first had a CPU */

	struct sprof_perf_timer *timer; /* NULL: none */
	unsigned timers;                /* that were opened so far */
	size_t last_copy;               /* the size of the last one's copies */
	uint64_t records;               /* that were read */

	/* Reports about it. */
	uint64_t samples, states[SPROF_STATE_COUNT];
	uint64_t ns[SPROF_STATE_COUNT]; /* the time that they explain */
	uint64_t program_ns[FAKE_PROGRAMS];
	uint64_t last_sample_ns, one_before_ns;
	uint64_t charged[SPROF_TIME_COUNT];
	uint64_t queued_ns;            /* in the run queue behind sleeps, by its samples */
	unsigned told, charges, lasts; /* its records; charges; last charges */
	uint32_t holders;              /* samples with a holder, */
	uint32_t placeless;            /* and without the holder's place, */
	uint32_t misplaced;            /* or with one where it was earlier */
	uint64_t held_ns; /* the time of others' samples with this thread as the holder */
	uint32_t last_holder;
	uint64_t looks; /* reads of its schedstat */
	uint64_t stat_reads;
	/* With orders: what it had while sampling was on, and when that began. */
	uint64_t on_ns, on_cpu_ns, mark_ns, mark_cpu_ns;
};

struct fake_order {
	uint64_t ns; /* since the beginning of the run */
	enum sprof_order order;
};

struct fake_world {
	struct sprof_world table;
	struct sprof_sink sink;
	struct sprof_control control;
	struct sprof_periods period_ends;
	struct sprof_sampler_options options;
	struct sprof_quality quality;

	uint64_t now_ns, random;
	uint64_t end_ns;  /* when the run is to end */
	uint64_t cost_ns; /* the most that a question costs */
	struct sprof_process processes[FAKE_PROCESSES];
	struct sprof_process *process_table[FAKE_PROCESSES];
	size_t process_count;
	struct sprof_mapping mapping[FAKE_PROCESSES];
	struct fake_thread threads[FAKE_THREADS];
	size_t thread_count;
	struct sprof_thread *table_of_threads[FAKE_THREADS];
	size_t alive_count;
	uint32_t seen;
	bool can_ask;                          /* about one mapping */
	bool lacks_memory;                     /* for a new thread */
	bool is_alone;                         /* nothing else runs on the machine */
	enum sprof_perf_reason refuses_timers; /* PERMITTED: it does not */
	uint64_t jiffy_ns;     /* between the kernel's ticks; 0: it knows CPU time at any moment */
	size_t most_records;   /* that a ring may have room for; 0: as many as wanted */
	uint64_t throttled_ns; /* one timer is, then; 0: none */
	size_t open_timers, most_timers;
	size_t ring_bytes, most_ring_bytes;        /* of all timers together */
	uint8_t zeros[SPROF_PERF_TIMER_STACK_MAX]; /* all stacks, for timers */
	uint64_t maps_reads, walks, interrupts;
	uint32_t words[64];  /* memory at FAKE_MEMORY */
	uint32_t next_owner; /* of the futex there, its id inside the process, */
	uint64_t owner_ns;   /* from then on; 0: it does not change */
	struct fake_order orders[FAKE_ORDERS];
	size_t order_count, orders_sent, orders_done;
	bool is_off;         /* by an order that is carried out */
	uint64_t signal_ns;  /* when a signal ends the run; 0: never */
	uint64_t stall_ns;   /* the next interrupt then is followed by a time without a CPU */
	uint64_t hold_up_ns; /* the next wait then ends late; 0: none does */
	uint64_t stall_length_ns;

	/* The sink. */
	uint64_t stacks[FAKE_STACKS];
	size_t stack_count, stack_base; /* stacks below belong to another sink */
	uint32_t waits, wait_base;      /* waits up to the base belong to another sink */
	unsigned periods;               /* that ended */
	uint64_t period_end_ns;         /* of the last one; 0: none has ended */
	uint64_t last_tick_ns;
	uint64_t ticks;  /* different times of samples of thread 0 */
	char wrong[256]; /* the first thing that was wrong; empty: nothing */
};

#define FAKE_MEMORY 0x7000000000u
#define FAKE_FUTEX (FAKE_MEMORY + FAKE_WORD * 4)

void fake_init(struct fake_world *world, uint64_t seed);
/* A thread that exists from then on; acts are added to it. Process 0 always exists. */
struct fake_thread *fake_add(struct fake_world *world, size_t process, uint64_t birth_ns);
void fake_act(struct fake_thread *thread, enum doing doing, uint64_t ns);
/* Random acts, until at least then. */
void fake_random_acts(struct fake_world *world, struct fake_thread *thread, uint64_t ns);
uint64_t fake_random(struct fake_world *world, uint64_t below);

/* A worker of the kernel in process 0: its birth is not reported. */
struct fake_thread *fake_add_worker(struct fake_world *world, uint64_t birth_ns);
/* It always sleeps, so each tick has a sample of it. */
struct fake_thread *fake_add_sleeper(struct fake_world *world, size_t process);
/* It always runs. */
struct fake_thread *fake_add_runner(struct fake_world *world);
/* The mutex in its memory is contended, and this thread owns it; NULL: nobody. */
void fake_set_owner(struct fake_world *world, const struct fake_thread *owner);

/* At that time of the run. */
void fake_order(struct fake_world *world, uint64_t ns, enum sprof_order order);

/* Runs the sampler, and compares at the end. `wrong` says what was wrong. */
void fake_run(struct fake_world *world);

/* Runs it, and fails the test with what was wrong. */
void fake_run_well(struct fake_world *world);
