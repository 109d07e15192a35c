/*
 * Language runtimes: finding one in a process, reading a thread's frames, and putting them in place
 * of the native frames of its evaluation loop.
 *
 * A sample goes this way. Before the thread stops, sprof_interp_prepare() makes room and finds the
 * thread's state. While it stands still (or sleeps), sprof_interp_copy() reads its frames: one
 * system call if they lie where they lay before. When it runs again, sprof_interp_merge() names
 * them and makes one stack of both.
 */
#ifndef SPROF_INTERP_INTERP_H
#define SPROF_INTERP_INTERP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "attach/maps.h"
#include "attach/memory.h"
#include "base/attributes.h"
#include "base/module.h"
#include "base/record.h"

/* What a stack shows of a program in an interpreted language. */
enum sprof_interp_mode {
	SPROF_INTERP_CALLS, /* its functions, and native functions that do something */
	SPROF_INTERP_ALL,   /* also the interpreter's functions that only make calls */
	SPROF_INTERP_ONLY,  /* only its functions */
};

/* How the memory of a process is read. */
struct sprof_interp_memory {
	void *data;
	/* Returns how many bytes were copied, like sprof_memory_read(). */
	size_t (*read)(void *data, uint64_t address, void *buffer, size_t size);
	/* Like sprof_memory_read_pieces(). */
	void (*read_pieces)(void *data, struct sprof_memory_piece *pieces, size_t count);
};

/* A thread, as far as it can be known from outside. */
struct sprof_interp_subject {
	pid_t own_tid;           /* inside its process's pid namespace */
	uint64_t thread_pointer; /* 0: not known */
};

/* The copied part of the thread's native stack, which holds some of a runtime's own structures. */
struct sprof_interp_stack {
	uint64_t base;
	size_t size;
	const uint8_t *bytes;
};

struct sprof_interp;         /* of a run: what is known of files with a runtime */
struct sprof_interp_process; /* the runtime of a process */
struct sprof_interp_thread;  /* what is remembered of a thread between its samples */
struct sprof_interp_copy;    /* what was read of a thread at one moment */

/* The modules must outlive it. NULL: no memory. */
SPROF_MUST_USE struct sprof_interp *sprof_interp_create(
	struct sprof_modules *modules, enum sprof_interp_mode mode);
/* NULL is accepted. */
void sprof_interp_destroy(struct sprof_interp *interp);

/*
 * The runtime in a process with these mappings, read through this memory. `known` is what was found
 * before, or NULL: it is returned again if it is still there, and destroyed if not. NULL: there is
 * none (or no memory).
 */
struct sprof_interp_process *sprof_interp_find(struct sprof_interp *interp,
	const struct sprof_maps *maps, const struct sprof_interp_memory *memory,
	struct sprof_interp_process *known);
/* NULL is accepted. */
void sprof_interp_process_destroy(struct sprof_interp_process *process);

/*
 * Before a copy: makes *thread and *copy, or more room in them, and looks for the thread's state if
 * that is not known. It may not be there yet: then a later call looks again. False: no memory.
 */
SPROF_MUST_USE bool sprof_interp_prepare(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_subject *subject,
	struct sprof_interp_thread **thread, struct sprof_interp_copy **copy);
/* NULL is accepted. */
void sprof_interp_thread_destroy(struct sprof_interp_thread *thread);
void sprof_interp_copy_destroy(struct sprof_interp_copy *copy);

/*
 * What sprof_interp_copy() will read of the thread, for a caller who reads something else at the same
 * moment by the same system call: the first piece is the caller's, who sets it and reads all. They
 * belong to the copy. NULL: nothing is to be read. Allocates nothing.
 */
struct sprof_memory_piece *sprof_interp_pieces(const struct sprof_interp_process *process,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy,
	size_t *ret_count);

/*
 * Reads the frames of a thread that stands still or sleeps. Allocates nothing. An invalid state of
 * the thread, or frames that can't be read, are noted in the copy.
 */
void sprof_interp_copy(const struct sprof_interp_process *process,
	const struct sprof_interp_memory *memory, const struct sprof_interp_stack *stack,
	const struct sprof_interp_thread *thread, struct sprof_interp_copy *copy);

/*
 * Puts the copied frames among the native ones. *stack becomes the merged stack, which is valid
 * until the next call. If they don't fit, it stays as it is, and the result says why.
 */
enum sprof_merge sprof_interp_merge(struct sprof_interp *interp,
	struct sprof_interp_process *process, const struct sprof_interp_memory *memory,
	struct sprof_interp_thread *thread, const struct sprof_interp_copy *copy,
	struct sprof_stack_view *stack);

/* The name that the program gave to the thread, in the language's own terms. "": none is known. */
const char *sprof_interp_thread_name(const struct sprof_interp_thread *thread);
/* Whether it has changed since this was last asked. */
bool sprof_interp_thread_was_named(struct sprof_interp_thread *thread);

#endif
