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
#include "base/idmap.h"
#include "sampler/locks.h"

struct sampler;

/* What a thread was last seen waiting for, and by what that is known again. */
struct thread_wait {
	uint32_t id; /* the sink's; SPROF_WAIT_NONE: it does not wait */
	int64_t call, last_call; /* the latter running or not, and never restart_syscall */
	uint64_t sp, argument, found_ns, last_sp;
	struct lock_watch lock;
};

/* The last sample of a thread that is there still: where a holder was. */
struct last_sample {
	uint64_t tick_ns;
	uint32_t stack; /* of a free place: the next free one */
};

/* A sample that waits for the end of the tick, when the holder of its lock has been sampled too. */
struct deferred {
	struct sprof_thread *thread;
	struct sprof_sample sample;
	uint32_t times;
	uint32_t holder_id;
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
	struct sprof_idmap places; /* thread id -> place in `last` */
	struct last_sample *last;
	size_t last_count, last_capacity;
	uint32_t free_place; /* plus one; 0: none */
	struct deferred *deferred;
	size_t deferred_count, deferred_capacity;
};

void sprof_waits_finish(struct waits *waits);

/* The thread has ended; all samples so far went to another sink. */
void sprof_waits_forget(struct waits *waits, const struct sprof_thread *thread);
void sprof_waits_forget_all(struct waits *waits);

/* What the thread, which is blocked in this call, waits for; kept in its sampling. */
void sprof_waits_look_up(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call);
/* The thread runs inside of a system call: its id, with what the call works on. */
uint32_t sprof_waits_running(struct sampler *sampler, struct sprof_thread *thread,
	const struct sprof_proc_syscall *call);

/* A sample of a blocked thread goes to the sink, `times` times; now or at the end of the tick. */
void sprof_waits_emit(struct sampler *sampler, struct sprof_thread *thread, uint32_t times);
/* The end of the tick: what was put off goes to the sink. NULL: of all threads. */
void sprof_waits_flush(struct sampler *sampler, const struct sprof_thread *thread);
/* A tick passes in which the thread is taken to be where it was. */
void sprof_waits_stays(struct sampler *sampler, const struct sprof_thread *thread);

#endif
