/*
 * Where Go's runtime stores a thread's goroutine, and where the thread left its stack.
 */
#ifndef SPROF_ELFSYM_GO_RUNTIME_H
#define SPROF_ELFSYM_GO_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/go-table.h"

/*
 * Places in memory. The thread pointer leads to a thread's g. The compiler, the assembly and cgo
 * know where a g has its stack, its m and g.sched, so these offsets are stable (Go's
 * runtime/runtime2.go). Offsets in an m change with versions; they are read from the runtime's
 * instructions.
 */
struct sprof_go_runtime {
	int32_t g;          /* relative to the thread pointer */
	uint32_t current_g; /* in an m */
	uint32_t vdso_sp;   /* in an m; 0: unknown */
	uint32_t thread_id; /* in an m: the thread's, in its own pid namespace */
};

/* Offsets in a g and in an m that all versions since Go 1.9 share. */
enum {
	SPROF_GO_G_STACK = 0, /* two words: [low, high) */
	SPROF_GO_G_M = 48,
	SPROF_GO_G_SCHED_SP = 56,
	SPROF_GO_G_SCHED_PC = 64,
	SPROF_GO_M_SYSTEM_G = 0, /* of the thread's own stack: m.g0 */
};

/* False: this runtime's code is unknown. */
bool sprof_go_runtime_find(const struct sprof_go_table *table, struct sprof_go_runtime *ret);

#endif
