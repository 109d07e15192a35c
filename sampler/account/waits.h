/*
 * What blocked threads wait for: looked up once per new wait; the holder of a lock, at every
 * sample.
 */
#pragma once

#include "blocked/areas.h"
#include "blocked/object.h"
#include "sampler/observation.h"
#include "sampler/sampled.h"

enum { PROCESS_AREAS = 8, SEEN_LOCKS = 256, KNOWN_DESCRIPTORS = 64 };

/* locks.c: the locks that threads wait for. Zeroed, except for the run, is empty and valid. */
struct locks {
	const struct run *run;
	/* script-locks.c: when the holder of such a lock was last looked for, and the CPU time of that */
	uint64_t script_ns, script_cost_ns;
	struct seen_lock {
		pid_t pid; /* of the process it was read in; 0: none */
		struct sprof_futex futex;
		uint64_t tick_ns; /* when it was read */
		enum sprof_lock_kind kind;
		struct sprof_lock_traits traits;
		pid_t holder, holder_tid; /* its id inside its process, and outside; 0: none */
		uint64_t thread_state;    /* of an interpreter's lock: the holder's */
		uint64_t asked_ns;        /* when the thread state was last looked up */
		uint64_t since_ns;        /* when it was first read */
		/* a thread whose frames show that it has the lock, and its turns on a CPU; 0: none */
		pid_t script_tid;
		uint64_t script_timeslices;
	} seen[SEEN_LOCKS];
};

/* What some descriptors were at the last looks. Zeroed: none is known. */
struct descriptors {
	struct known_descriptor {
		pid_t pid;
		int number;
		uint64_t text;     /* what it is: a hash */
		uint64_t since_ns; /* each look since then has found the same */
	} items[KNOWN_DESCRIPTORS];
};

struct waits {
	struct run *run;
	struct locks locks;
	struct sprof_blocked_access access;
	const struct sprof_thread *thread;   /* its wait is looked up */
	const struct sprof_stack_copy *then; /* its stack at a past moment; NULL: it waits now */
	struct sprof_objects objects;
	struct descriptors descriptors;
	struct process_areas {
		pid_t pid;
		uint64_t generation; /* of the maps at that read */
		uint64_t read_ns;    /* when they were read */
		struct sprof_areas areas;
	} areas[PROCESS_AREAS];
	size_t next_areas;
};

/* The caller keeps the run alive longer, and the waits in their place. */
void sprof_waits_init(struct waits *waits, struct run *run);
void sprof_waits_finish(struct waits *waits);

/* The thread is blocked in this call now: finds what it waits for, and remembers that. */
void sprof_waits_look_up(struct waits *waits, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call, uint64_t now_ns);
/*
 * The thread was blocked in this call, with this stack; by now it may be elsewhere. Returns the id
 * of the wait. Memory outside the stack is read as it is now. The holder of a lock is not looked
 * up.
 */
uint32_t sprof_waits_past(struct waits *waits, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call, const struct sprof_stack_copy *stack);
/*
 * The thread runs in the kernel: returns the id of its call and the call's object, with the
 * kernel's stack if the observation has it.
 */
uint32_t sprof_waits_running(
	struct waits *waits, struct sprof_thread *thread, const struct observation *observation);

/*
 * script-locks.c: the holder of a lock of an interpreted language, which only frames show. Looks
 * for it if the thread has waited for long. 0: none, or not known.
 */
pid_t sprof_script_locks_holder(
	struct locks *locks, const struct sprof_thread *thread, struct seen_lock *lock);

/*
 * The lock that the thread waits for, valid until the next look. Each lock is read once per tick.
 * Sets the watch's holder. The holder is the waiting thread itself only if two ticks in one wait
 * show that, because a thread that has just taken the lock no longer waits.
 */
const struct seen_lock *sprof_locks_look(struct locks *locks, struct sprof_thread *thread,
	struct lock_watch *watch, uint64_t now_ns);

struct descriptor_look {
	pid_t pid;
	int number;
	const char *text; /* what it is */
	uint64_t now_ns;
};

/*
 * descriptors.c: notes the look. Returns whether the descriptor was the same at that moment: an
 * earlier look found the same, or the moment is less than 2 ms ago.
 */
bool sprof_descriptors_were_same(
	struct descriptors *descriptors, const struct descriptor_look *look, uint64_t moment_ns);
