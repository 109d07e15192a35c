/* Timers in the kernel sample running threads, which are stopped only for their exact figures. */
#pragma once

#include "sampler/stop/stops.h"

/*
 * call-places.c: finds a thread's system call by the place where its user code entered the kernel.
 * Records need this, because they lack the number (attach/calls/number.h). Zeroed knows nothing.
 */
enum { CALL_PLACES = 256 };
struct call_places {
	struct call_place {
		uint64_t pc; /* 0: none */
		uint32_t process;
		int16_t number; /* or less than 0: attach/calls/number.h */
	} items[CALL_PLACES];
};

/*
 * The number, or SPROF_CALL_NUMBER_UNKNOWN or _NONE, of a thread with this stack. Reads its code, by
 * a thread of its process, at new places.
 */
int64_t sprof_call_places_find(struct call_places *places, const struct run *run,
	const struct sprof_thread *thread, const struct sprof_snapshot *snapshot,
	const struct sprof_maps *maps);
/* The call with that number, or none, of a thread with these registers. */
struct sprof_proc_syscall sprof_call_at(const struct sprof_regs *regs, int64_t number);
/* The process has executed another program. */
void sprof_call_places_forget(struct call_places *places, const struct sprof_process *process);

/* The timers (events/perf/timer.h) of the threads of a run. */
struct kernel {
	const struct run *run;
	struct book *book; /* gets the observations */
	struct stops *stops;
	uint64_t room_ns;          /* the least time that a timer's ring has room for */
	struct sprof_cpu_set cpus; /* CPUs of the records of this tick */
	unsigned char *scratch;    /* for records; NULL: not allocated yet */
	size_t open;               /* number of timers */
	struct call_places places;
	uint64_t random; /* not 0 */
};

/* timers.c: opens, reads and closes them. */

/* At the end: all timers are closed. */
void sprof_timers_finish(struct kernel *kernel);

/*
 * Opens one for a sampled thread, if there is room for it. This tick and those before have no
 * records. If the kernel refuses it, that counts, and it is not asked again for this thread.
 */
void sprof_timers_open(struct kernel *kernel, struct sprof_thread *thread);
/* Whether its stacks take more than a timer copies: from when an interpreter is loaded, too. */
bool sprof_timers_are_unfit(const struct kernel *kernel, const struct sprof_thread *thread);

/* The functions below need a timer. Closes it. `for_good`: it is not opened again. */
void sprof_timers_close(struct kernel *kernel, struct sprof_thread *thread, bool for_good);
/* Opens one with other copies of the stack in its place; without success it is closed for good. */
void sprof_timers_replace(struct kernel *kernel, struct sprof_thread *thread);
/* Varies its period, several times a second. */
void sprof_timers_pace(struct kernel *kernel, const struct sprof_thread *thread);
/*
 * Hands over the records up to that time; after an exec that was not handled yet, those of the
 * former program.
 */
void sprof_timers_take(struct kernel *kernel, struct sprof_thread *thread, uint64_t until_ns);
/* Counts all records as lost: those of a program from before an exec can't be named any more. */
void sprof_timers_drop(struct kernel *kernel, struct sprof_thread *thread);

/* The caller keeps all pointed-to objects alive longer. */
void sprof_kernel_init(struct kernel *kernel, struct book *book, struct stops *stops);

/* Hands over what has been recorded of a sampled thread between the ticks. */
void sprof_kernel_gather(struct kernel *kernel, struct sprof_thread *thread);
/* Any event of the target, before others handle it: a thread may be gone afterwards. */
void sprof_kernel_hear(struct kernel *kernel, const struct sprof_event *event);
/* No ticks follow for a while: closes all timers. */
void sprof_kernel_rest(struct kernel *kernel);
/* Asks the stops, unless records are enough. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_kernel_ask(struct kernel *kernel, const struct ask *ask);
/*
 * Whether records cover the thread, so that it needs no ticks. A sleeper needs ticks, which find it
 * asleep.
 */
bool sprof_kernel_covers(const struct sprof_thread *thread);
