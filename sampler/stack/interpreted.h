/*
 * Frames of interpreted languages in the sampler: when what interp/ offers is done.
 */
#ifndef SPROF_SAMPLER_STACK_INTERPRETED_H
#define SPROF_SAMPLER_STACK_INTERPRETED_H

#include "sampler/stack/copy.h"
#include "sampler/observation.h"
#include "sampler/loop/run.h"

/* The mappings of the process have been read: looks for a runtime in it. */
void sprof_interpreted_find(const struct sprof_world *world, struct sprof_process *process);

/* A thread is going to be copied: how much of it, if its process has a runtime. */
void sprof_interpreted_plan(const struct sprof_thread *thread);

/* Before a copy of a thread, which is still running or asleep. False: no memory. */
SPROF_MUST_USE bool sprof_interpreted_prepare(
	const struct sprof_world *world, struct sprof_thread *thread, struct copy_buffer *buffer);

/*
 * What is read of the interpreter's frames by the system call that reads the stack: the first piece is
 * the caller's. NULL: nothing. Allocates nothing.
 */
struct sprof_memory_piece *sprof_interpreted_pieces(
	const struct copying *copying, size_t *ret_count);

/* While the thread stands still or sleeps, after its stack was copied. Allocates nothing. */
void sprof_interpreted_copy(const struct copying *copying, struct sprof_snapshot *snapshot);

/* The stack that was found, with the interpreter's frames in it. */
void sprof_interpreted_merge(const struct run *run, const struct observation *observation,
	struct sprof_stack_view *stack);

/* The name that the program gave to the thread, if the language knows one; else "". */
const char *sprof_interpreted_name(const struct sprof_thread *thread);
/* Whether the last merge found another one. */
bool sprof_interpreted_was_named(const struct sprof_thread *thread);

#endif
