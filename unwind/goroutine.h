/*
 * What a walk needs to know about a thread that runs a goroutine. struct sprof_go_runtime has the
 * offsets.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/go/runtime.h"

enum { SPROF_GOROUTINE_WORDS = 64 };

/*
 * Facts from Go's runtime about a thread: its goroutine, if any, and where it switched between
 * stacks. Addresses are in the process.
 */
struct sprof_goroutine {
	bool is_known;               /* the other fields are valid */
	uint64_t g;                  /* the goroutine; 0: none */
	uint64_t low, high;          /* its stack: [low, high) */
	uint64_t sched_sp, sched_pc; /* where it switched to the thread's stack, if it did */
	bool is_interrupted;         /* a signal handler is running on another stack */
	uint64_t vdso_sp;            /* the CFA of the vDSO's caller; 0: none */
	/* The thread's own stack, if the runtime allocated it: [low, high); 0: allocated by the
	 * system. */
	uint64_t system_low, system_high;
	uint64_t words[SPROF_GOROUTINE_WORDS]; /* the beginning of its g */
	/* the pc after its go statement, if requested as the stack's root; 0: not */
	uint64_t creator;
	/*
	 * Where the thread's own stack was left last, if it was read: by C code that called Go, or
	 * by the runtime.
	 */
	bool has_system;
	uint64_t system_sp;
};

/* The goroutine's id, as in Go's traces. 0: none, or its offset in this version is unknown. */
uint64_t sprof_goroutine_id(const struct sprof_goroutine *goroutine);
