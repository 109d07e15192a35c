/*
 * Stacks of a traced program, each walked in the two ways that must agree.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tests/ptrace/scene.h"
#include "unwind/full.h"
#include "unwind/unwind.h"

enum { STACK_COPY = 512 * 1024, STACK_DEPTH = 8192 };

struct stacks {
	struct sprof_modules *modules;
	struct sprof_maps maps;
	struct sprof_unwinder *unwinder;
	struct sprof_images images; /* the full unwinder's */
	struct sprof_full_unwinder *full;
	size_t next_thread;
	/* The last snapshot, and what came of it. */
	pid_t tid;
	struct sprof_snapshot snapshot;
	uint8_t *copy;
	struct sprof_stack_view stack;
	struct sprof_full_frame *full_frames;
	size_t full_count;
	enum sprof_full_end full_end;
};

struct stacks *stacks_create(void);
void stacks_destroy(struct stacks *stacks);

/*
 * Lets the program run for a moment, stops one of its threads (each in turn), copies its registers
 * and stack, lets it go on, and walks the copy in both ways. A thread that has not returned from
 * the system call it was born in, for which there is no CFI, is taken again until it has.
 */
void stacks_take(struct stacks *stacks, struct scene *scene);

/* The run-time address of a frame of the last stack. */
uint64_t stacks_frame_pc(const struct stacks *stacks, const struct sprof_frame *frame);

/* How many frames are the same in both walks, from these frames outwards. */
size_t stacks_common(struct stacks *stacks, size_t first, size_t full_first);
