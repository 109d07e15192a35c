/*
 * The last stack and state of each thread: the sink of dump.
 */
#ifndef SPROF_CMD_STACKS_H
#define SPROF_CMD_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/record.h"

/* What the unwinder told of a stack: struct sprof_stack_state, as copies. */
struct sprof_kept_state {
	uint64_t *registers;
	uint64_t known;
	uint64_t base;
	uint8_t *bytes; /* NULL: the memory is not kept */
	size_t size;
	struct sprof_frame_registers *frames;
};

struct sprof_thread_stack {
	uint32_t id;
	pid_t pid, tid;
	char *name;
	bool sampled; /* false: it had no sample, the fields below are not set */
	enum sprof_state state;
	bool in_syscall; /* asleep in one */
	int64_t syscall;
	char *object; /* what it waits for there; NULL: not given */
	/* the futex that it waits for there */
	uint64_t lock_address; /* of its word; 0: it waits for none */
	uint32_t lock_module;  /* of an address in data; otherwise SPROF_RECORD_NONE */
	uint64_t lock_offset;  /* then from where the module's first byte is mapped */
	enum sprof_lock_kind lock;
	pid_t holder;               /* of the lock; 0: not known */
	struct sprof_frame *frames; /* innermost first */
	size_t frame_count;
	enum sprof_end end;
	struct sprof_kept_state kept; /* zeroed: the unwinder was not asked for it */
};

/* Zeroed is valid. */
struct sprof_stacks {
	struct sprof_thread_stack *threads; /* by id while samples come */
	size_t thread_count, thread_capacity;
	struct sprof_frame *frames; /* the last stack of each thread, one behind the other */
	size_t frame_count, frame_capacity;
	struct sprof_stack_span {
		size_t first, count;
		enum sprof_end end;
		struct sprof_kept_state kept; /* until the thread gets it */
	} * spans;                            /* by stack id */
	size_t span_count, span_capacity;
	struct sprof_stacks_wait {
		int64_t system_call;
		char *object; /* NULL: none */
		uint64_t lock_address, lock_offset;
		uint32_t lock_module;
		enum sprof_lock_kind lock;
	} * waits; /* by id - 1 */
	size_t wait_count, wait_capacity;
	bool keeps_memory; /* of stacks with a state: their copied part */
};

struct sprof_sink sprof_stacks_sink(struct sprof_stacks *stacks);

/* Orders the threads by process and thread id. No sample may come after that. */
void sprof_stacks_sort(struct sprof_stacks *stacks);

void sprof_stacks_finish(struct sprof_stacks *stacks);

#endif
