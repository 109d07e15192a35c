/*
 * What a walk has to know of a thread that runs a goroutine of Go's; where it is noted: struct sprof_go_runtime.
 */
#ifndef SPROF_UNWIND_GOROUTINE_H
#define SPROF_UNWIND_GOROUTINE_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/go-runtime.h"

enum { SPROF_GOROUTINE_WORDS = 64 };

/*
 * What Go's runtime says of a thread: the goroutine that it runs, if any, and where it has left one stack for
 * another. Addresses in the process.
 */
struct sprof_goroutine {
	bool is_known;      /* the rest has been read */
	uint64_t g;         /* the goroutine; 0: none */
	uint64_t low, high; /* its stack: [low, high) */
	uint64_t sched_sp, sched_pc; /* where it has left its stack for the thread's, if it has */
	bool is_interrupted; /* a signal's handler runs, on another stack */
	uint64_t vdso_sp;   /* the CFA of what calls the vDSO; 0: nothing does */
	/* The thread's own stack, where the runtime has made it: [low, high); 0: it is the system's. */
	uint64_t system_low, system_high;
	uint64_t words[SPROF_GOROUTINE_WORDS]; /* the beginning of its g */
	uint64_t creator; /* the pc behind its go statement, if that is to be the stack's root; 0: it isn't */
	bool has_system;    /* while the goroutine's is in use it was looked for where the thread's own was left: */
	uint64_t system_sp;
};

/* Its number, as Go's own traces have it. 0: there is none, or it is not known where it is in this version. */
uint64_t sprof_goroutine_id(const struct sprof_goroutine *goroutine);

#endif
