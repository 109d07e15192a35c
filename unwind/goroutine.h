/*
 * What a walk needs to know of a thread that runs a goroutine. For where Go keeps it see struct
 * sprof_go_runtime.
 */
#ifndef SPROF_UNWIND_GOROUTINE_H
#define SPROF_UNWIND_GOROUTINE_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/go-runtime.h"

enum { SPROF_GOROUTINE_WORDS = 64 };

/*
 * What Go's runtime says of a thread: its goroutine, if any, and where it left one stack for
 * another. Addresses are in the process.
 */
struct sprof_goroutine {
	bool is_known;               /* the rest has been read */
	uint64_t g;                  /* the goroutine; 0: none */
	uint64_t low, high;          /* its stack: [low, high) */
	uint64_t sched_sp, sched_pc; /* where it left its stack for the thread's, if it did */
	bool is_interrupted;         /* a signal handler runs, on another stack */
	uint64_t vdso_sp;            /* the CFA of the vDSO's caller; 0: none */
	/* The thread's own stack, if the runtime allocated it: [low, high); 0: it is the
	 * system's. */
	uint64_t system_low, system_high;
	uint64_t words[SPROF_GOROUTINE_WORDS]; /* the beginning of its g */
	/* the pc after its go statement, if this is wanted as the stack's root; 0: no */
	uint64_t creator;
	/* Where the thread's own stack was left last, if we looked: by C code that called Go, or by the runtime. */
	bool has_system;
	uint64_t system_sp;
};

/* Its number, as in Go's own traces. 0: none, or its place in this version is unknown. */
uint64_t sprof_goroutine_id(const struct sprof_goroutine *goroutine);

#endif
