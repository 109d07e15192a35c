/*
 * Copies of stacks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "sampler/world.h"
#include "unwind/goroutine-read.h"

struct copy_plan;
struct observation;
struct run;

struct copy_buffer {
	uint8_t *bytes;
	size_t capacity;
	struct sprof_interp_copy *script; /* frames of an interpreter; NULL: none so far */
};

void sprof_copy_buffer_finish(struct copy_buffer *buffer);

/* The copying of a thread's stack: what is copied, and into what. */
struct copying {
	const struct sprof_world *world;
	const struct sprof_thread *thread;
	struct copy_plan *plan;
	struct copy_buffer *buffer;
	const struct sprof_go_runtime *go; /* of its program; NULL: none */
	pid_t own_tid;                     /* its id inside its process's pid namespace */
};

/* Prepares the copy of a sampled thread, whose process is known. */
struct copying sprof_copying_of(const struct sprof_world *world, const struct sprof_thread *thread,
	struct copy_buffer *buffer);

/* Reads what Go's runtime knows of the thread. The copying must stay valid. */
struct sprof_goroutine_reading sprof_copying_goroutine(const struct copying *copying);

/* The stack that the kernel has copied into a record, from sp on; at most `wanted` bytes. */
struct sprof_stack_copy sprof_copy_by_kernel(
	const struct sprof_maps *maps, const struct sprof_perf_user *user, size_t wanted);

/* A complete walk stayed in the copied stack: it is the thread's own stack, or a coroutine's. */
void sprof_copy_settle(
	struct copy_plan *plan, const struct sprof_snapshot *snapshot, uint64_t outermost_sp);

/* Plans: only an exec shrinks one. Zeroed is empty and valid. */

/* Makes each copy as large as can be. For Go, also the threads' own stacks are then copied. */
void sprof_copy_plan_expect_all(const struct sprof_thread *thread);
/* The stack did not fit: the next copy is larger. */
void sprof_copy_plan_grow(size_t *size);
/* Before each copy: an interpreter, which calls itself, and a goroutine get a large one. */
void sprof_copy_plan_expect(const struct sprof_thread *thread);

/* Makes room for the largest copy of the plan. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_copy_reserve(struct copy_buffer *buffer, const struct copy_plan *plan);
/* The same for any plan: 24 MiB, which are address space only until a copy fills them. */
SPROF_MUST_USE bool sprof_copy_reserve_most(struct copy_buffer *buffer);
bool sprof_copy_has_room(const struct copy_buffer *buffer, const struct copy_plan *plan);

/*
 * Copies the used part of the stack from sp on; snapshot->regs has sp. `ahead`: see below, or NULL.
 * If sp leads nowhere, or memory can't be read, the copy is empty, but there still is an innermost
 * frame. Returns false if the process has no memory any more, so the thread has no sample.
 */
bool sprof_copy_stack(const struct copying *copying, const struct sprof_stack_copy *ahead,
	struct sprof_snapshot *snapshot);
/*
 * Copies the stack from the last known sp, for sprof_copy_stack() to complete. A thread that stops
 * on another CPU can no longer change its stack, but its registers can be read only once it has
 * left that CPU, a microsecond later.
 */
void sprof_copy_ahead(const struct copying *copying, struct sprof_stack_copy *ret);

/* interpreted.c: frames of interpreted languages; calls interp/ at the steps of a sample. */

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

/*
 * Whether the thread, which sleeps, has the language's lock with this semaphore, as far as its
 * frames show.
 */
bool sprof_interpreted_holds(
	const struct sprof_world *world, struct sprof_thread *thread, uint64_t semaphore);

/* The name that the program gave to the thread, if the language knows one; else "". */
const char *sprof_interpreted_name(const struct sprof_thread *thread);
/* Whether the last merge found another one. */
bool sprof_interpreted_was_named(const struct sprof_thread *thread);
