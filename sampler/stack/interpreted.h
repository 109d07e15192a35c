/* Frames of interpreted languages: calls interp/ at the steps of a sample. */
#ifndef SPROF_SAMPLER_STACK_INTERPRETED_H
#define SPROF_SAMPLER_STACK_INTERPRETED_H

#include "sampler/loop/run.h"
#include "sampler/observation.h"
#include "sampler/stack/copy.h"

/* The mappings of the process have been read: looks for a runtime in it. */
void sprof_interpreted_find(const struct sprof_world *world, struct sprof_process *process);

/* Prepares the copy of a thread that is still running or asleep. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_interpreted_prepare(
	const struct sprof_world *world, struct sprof_thread *thread, struct copy_buffer *buffer);

/*
 * The pieces of the interpreter's frames that one system call reads together with the stack: the
 * first piece is the caller's. NULL: none. Allocates nothing.
 */
struct sprof_memory_piece *sprof_interpreted_pieces(
	const struct copying *copying, size_t *ret_count);

/*
 * Copies the other frames while the thread stands still or sleeps, after its stack was copied.
 * Allocates nothing.
 */
void sprof_interpreted_copy(const struct copying *copying, struct sprof_snapshot *snapshot);

/* Merges the interpreter's frames into the stack that was found. */
void sprof_interpreted_merge(const struct run *run, const struct observation *observation,
	struct sprof_stack_view *stack);

/* The name that the program gave to the thread, if the language knows one; else "". */
const char *sprof_interpreted_name(const struct sprof_thread *thread);
/* Whether the last merge found another one. */
bool sprof_interpreted_was_named(const struct sprof_thread *thread);

#endif
