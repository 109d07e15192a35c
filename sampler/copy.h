/*
 * Copies of stacks: how much is copied of a thread's, and where its own one lies.
 */
#ifndef SPROF_SAMPLER_COPY_H
#define SPROF_SAMPLER_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind.h"

struct sprof_thread;

struct copy_buffer {
	uint8_t *bytes;
	size_t capacity;
};

/* How a thread's stack is copied. */
struct copy_plan {
	size_t size;                /* in bytes; grown when it was too little */
	uint64_t home_end, home_sp; /* its own stack: the end of the mapping, and where sp was last */
	size_t goroutine_size;      /* in bytes, of a goroutine's; 0: no thread of Go's */
	bool wants_system;          /* a thread of Go's: its own stack too, while it is on a goroutine's */
};

void sprof_copy_plan_init(struct copy_plan *plan);
/* There is no next copy that could be larger. */
void sprof_copy_plan_expect_all(struct copy_plan *plan);
/* The stack did not fit: the next copy is larger. */
void sprof_copy_plan_grow(struct copy_plan *plan);
/* The same of a thread that runs a goroutine; perhaps what lacks is its own stack. */
void sprof_copy_plan_grow_goroutine(struct copy_plan *plan);
/* It is a thread of Go's. */
void sprof_copy_plan_expect_goroutine(struct copy_plan *plan);
/* Another program: its stack is elsewhere. */
void sprof_copy_plan_forget_program(struct copy_plan *plan);
/* A complete walk that has not left the copied stack was on the thread's own, or on a coroutine's. */
void sprof_copy_plan_settle(
	struct copy_plan *plan, const struct sprof_snapshot *snapshot, uint64_t outermost_sp);

/* A walk has ended on another stack, perhaps a signal handler's: the kernel's frame there says where the own one is. */
void sprof_copy_plan_find_home(struct copy_plan *plan, const struct sprof_snapshot *snapshot);

/* Room for the largest copy of the thread. False: no memory. */
bool sprof_copy_reserve(struct copy_buffer *buffer, const struct copy_plan *plan);
/* Whether there is such room already. */
bool sprof_copy_has_room(const struct copy_buffer *buffer, const struct copy_plan *plan);

/*
 * The used part of the stack from sp on; snapshot->regs has sp. `ahead`: see below, or NULL.
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

#endif
