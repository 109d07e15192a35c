/*
 * What blocked threads wait for: looked up once per new wait, and for a lock, at every sample, who
 * has it now.
 */
#ifndef SPROF_SAMPLER_WAITS_H
#define SPROF_SAMPLER_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/areas.h"
#include "attach/wait-object.h"
#include "sampler/locks.h"

struct sampler;

/* What a thread was last seen waiting for, and by what that is known again. */
struct thread_wait {
	struct lock_watch lock;
	uint32_t id; /* the sink's; SPROF_WAIT_NONE: it does not wait */
	int64_t call, last_call; /* the latter running or not, and never restart_syscall */
	uint64_t sp, argument, found_ns, last_sp;
};

enum {
	PROCESS_AREAS = 8
};

/* Zeroed is empty and valid, but for objects.target. */
struct waits {
	struct locks locks;
	struct sprof_objects objects;
	struct process_areas {
		pid_t pid;
		uint64_t generation; /* of the maps that they were read with */
		uint64_t tick_ns;    /* when they were read */
		struct sprof_areas areas;
	} areas[PROCESS_AREAS];
	size_t next_areas;
};

void sprof_waits_finish(struct waits *waits);

/* What the thread, which is blocked in this call, waits for; kept in its sampling. */
void sprof_waits_look_up(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call);
/* The thread runs inside of a system call: its id, with what the call works on. */
uint32_t sprof_waits_running(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call);

#endif
