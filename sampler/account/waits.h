/*
 * What blocked threads wait for: looked up once per new wait; the holder of a lock, at every
 * sample.
 */
#ifndef SPROF_SAMPLER_ACCOUNT_WAITS_H
#define SPROF_SAMPLER_ACCOUNT_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/proc/procfs.h"
#include "blocked/areas.h"
#include "blocked/object.h"
#include "sampler/account/locks.h"
#include "sampler/descriptors.h"
#include "sampler/loop/run.h"
#include "sampler/observation.h"
#include "unwind/snapshot.h"

enum { PROCESS_AREAS = 8 };

struct waits {
	struct run *run;
	const struct sprof_sink *sink;
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

/* The caller keeps all pointed-to objects alive longer. */
void sprof_waits_init(struct waits *waits, struct run *run, const struct sprof_sink *sink);
void sprof_waits_finish(struct waits *waits);
/* A new sink begins: forgets what the old one has. */
void sprof_waits_restart(struct waits *waits);

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

#endif
