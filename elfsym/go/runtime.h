/* Where Go's runtime stores a thread's goroutine, and the sp at which the thread left its stack. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/go/table.h"

/*
 * Offsets in memory. The thread pointer leads to a thread's g. Compiler, assembly and cgo depend on
 * the offsets of stack, m and sched in a g, so these are stable (Go's runtime/runtime2.go). Offsets
 * in an m vary by version; they are read from the runtime's code.
 */
struct sprof_go_runtime {
	int32_t g;          /* relative to the thread pointer */
	uint32_t current_g; /* offset in an m */
	uint32_t vdso_sp;   /* offset in an m; 0: unknown */
	uint32_t thread_id; /* offset in an m of the tid in the thread's pid namespace */
};

/* Offsets in a g and an m that have been constant since Go 1.9. */
enum {
	SPROF_GO_G_STACK = 0, /* two words: [low, high) */
	SPROF_GO_G_M = 48,
	SPROF_GO_G_SCHED_SP = 56,
	SPROF_GO_G_SCHED_PC = 64,
	SPROF_GO_M_SYSTEM_G = 0, /* of the thread's own stack: m.g0 */
};

/* Returns false if the runtime's code is not recognised. */
bool sprof_go_runtime_find(const struct sprof_go_table *table, struct sprof_go_runtime *ret);
