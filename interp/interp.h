/*
 * Language runtimes: finds one in a process, reads a thread's frames, and replaces the native
 * frames of its evaluation loop with them.
 *
 * Steps of a sample: before the thread stops, sprof_interp_prepare() allocates buffers and finds
 * the thread's state. While it is stopped (or sleeps), sprof_interp_copy() reads its frames, with
 * one system call if they are where they were last time. When it runs again, sprof_interp_merge()
 * names them and merges both stacks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/proc/maps.h"
#include "attach/proc/memory.h"
#include "base/attributes.h"
#include "base/module.h"
#include "base/record.h"

/* What to show for programs in interpreted languages. */
enum sprof_interp_mode {
	SPROF_INTERP_CALLS, /* its functions, and native functions that do more than call others */
	SPROF_INTERP_ALL,   /* also the interpreter's functions that only make calls */
	SPROF_INTERP_ONLY,  /* its functions only */
};

/* Access to a process's memory. */
struct sprof_interp_memory {
	void *data;
	/* Returns the number of bytes copied, like sprof_memory_read(). */
	size_t (*read)(void *data, uint64_t address, void *buffer, size_t size);
	/* Like sprof_memory_read_pieces(). */
	void (*read_pieces)(void *data, struct sprof_memory_piece *pieces, size_t count);
};

/* What is known about a thread from outside. */
struct sprof_interp_subject {
	pid_t own_tid;           /* in its process's pid namespace */
	uint64_t thread_pointer; /* 0: unknown */
};

/* The copied part of the thread's native stack, which contains some of a runtime's structures. */
struct sprof_interp_stack {
	uint64_t base;
	size_t size;
	const uint8_t *bytes;
};

struct sprof_interp;         /* per run: facts about files with a runtime */
struct sprof_interp_process; /* the runtime of a process */
struct sprof_interp_thread;  /* per thread: state kept between samples */
struct sprof_interp_copy;    /* a copy of a thread's frames */

/* The modules must outlive the result. Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_interp *sprof_interp_create(
	struct sprof_modules *modules, enum sprof_interp_mode mode);
/* NULL is accepted. */
void sprof_interp_destroy(struct sprof_interp *interp);

/*
 * Finds the runtime in a process with these mappings. `known` is the previous result, or NULL: it
 * is returned again if still valid, and destroyed otherwise. Returns NULL if there is none, or out
 * of memory.
 */
struct sprof_interp_process *sprof_interp_find(struct sprof_interp *interp,
	const struct sprof_maps *maps, const struct sprof_interp_memory *memory,
	struct sprof_interp_process *known);
/* NULL is accepted. */
void sprof_interp_process_destroy(struct sprof_interp_process *process);

/*
 * Call it before a copy: creates *thread and *copy, or enlarges them, and looks for the thread's
 * state if unknown. The state may not exist yet; later calls look again. Returns false if out of
 * memory.
 */
SPROF_MUST_USE bool sprof_interp_prepare(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_subject *subject,
	struct sprof_interp_thread **thread, struct sprof_interp_copy **copy);
/* NULL is accepted. */
void sprof_interp_thread_destroy(struct sprof_interp_thread *thread);
void sprof_interp_copy_destroy(struct sprof_interp_copy *copy);

/*
 * The memory that sprof_interp_copy() will read, for callers that read something else in the same
 * system call: the first piece is the caller's, which sets it and reads all. The pieces belong to
 * the copy. NULL: nothing to read. Does not allocate.
 */
struct sprof_memory_piece *sprof_interp_pieces(const struct sprof_interp_process *process,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy,
	size_t *ret_count);

/*
 * Reads the frames of a stopped or sleeping thread. Does not allocate. An invalid state, or
 * unreadable frames, are recorded in the copy.
 */
void sprof_interp_copy(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_stack *stack,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy);

/*
 * Whether a thread with these frames holds the language's lock with this semaphore, as far as the
 * frames show. The thread must sleep.
 */
bool sprof_interp_holds(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_copy *copy,
	uint64_t semaphore);

/*
 * Merges the copied frames with the native ones. *stack becomes the merged stack, valid until the
 * next call. If they don't match, it is unchanged, and the result has the reason.
 */
enum sprof_merge sprof_interp_merge(struct sprof_interp *interp,
	struct sprof_interp_process *process, const struct sprof_interp_memory *memory,
	struct sprof_interp_thread *thread, const struct sprof_interp_copy *copy,
	struct sprof_stack_view *stack);

/* The name that the program gave the thread in the language's API. "": unknown. */
const char *sprof_interp_thread_name(const struct sprof_interp_thread *thread);
/* Whether it has changed since the last call of this function. */
bool sprof_interp_thread_was_named(struct sprof_interp_thread *thread);
