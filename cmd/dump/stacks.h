/* The last stack and state of each thread: the sink of dump. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/record.h"

/* The unwinder's state for a stack, copied from struct sprof_stack_state. */
struct sprof_kept_state {
	uint64_t *registers;
	uint64_t known;
	uint64_t base;
	uint8_t *bytes; /* NULL: memory not kept */
	size_t size;
	struct sprof_frame_registers *frames;
};

struct sprof_thread_stack {
	uint32_t id;
	pid_t pid, tid;
	char *name;
	bool sampled; /* false: no sample; the fields below are not set */
	enum sprof_state state;
	bool in_syscall; /* blocked in a system call */
	int64_t syscall;
	char *object; /* what it waits for; NULL: unknown */
	/* the futex that it waits for */
	uint64_t lock_address; /* of the futex word; 0: none */
	uint32_t lock_module;  /* module of a static variable; otherwise SPROF_RECORD_NONE */
	uint64_t lock_offset;  /* with a module: offset from where its first byte is mapped */
	enum sprof_lock_kind lock;
	bool is_lock_shared; /* other processes may have it */
	struct sprof_lock_traits lock_traits;
	pid_t holder;               /* of the lock; 0: unknown */
	struct sprof_frame *frames; /* innermost first */
	size_t frame_count;
	enum sprof_end end;
	struct sprof_kept_state kept; /* zeroed: not requested */
};

/* Zeroed is valid. */
struct sprof_stacks {
	struct sprof_thread_stack *threads; /* by id while sampling */
	size_t thread_count, thread_capacity;
	struct sprof_frame *frames; /* the last stacks of all threads, concatenated */
	size_t frame_count, frame_capacity;
	struct sprof_stack_span {
		size_t first, count;
		enum sprof_end end;
		struct sprof_kept_state kept; /* state of the sample in progress */
	} * spans;                            /* by stack id */
	size_t span_count, span_capacity;
	struct sprof_stacks_wait {
		int64_t system_call;
		char *object; /* NULL: none */
		uint64_t lock_address, lock_offset;
		uint32_t lock_module;
		enum sprof_lock_kind lock;
		bool is_lock_shared;
		struct sprof_lock_traits lock_traits;
	} * waits; /* by id - 1 */
	size_t wait_count, wait_capacity;
	bool keeps_memory; /* keep a copy of the stack's memory as well */
};

struct sprof_sink sprof_stacks_sink(struct sprof_stacks *stacks);

/* Sorts the threads by process and thread id. No samples may follow. */
void sprof_stacks_sort(struct sprof_stacks *stacks);

/* The index after the last thread of the process of thread `first`. The threads must be sorted. */
size_t sprof_stacks_process_end(const struct sprof_stacks *stacks, size_t first);

void sprof_stacks_finish(struct sprof_stacks *stacks);
