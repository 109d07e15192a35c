/*
 * Where Go's runtime notes which goroutine a thread runs, and from where it left the goroutine's stack.
 */
#ifndef SPROF_ELFSYM_GO_RUNTIME_H
#define SPROF_ELFSYM_GO_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "elfsym/go-table.h"

/*
 * Places in memory. A thread's g is found through its thread pointer; a g has its stack, its m and g.sched at places
 * that the compiler, the assembly and cgo know, so that they have stayed (Go's runtime/runtime2.go); of the m they
 * change with versions, and are read from the runtime's own instructions.
 */
struct sprof_go_runtime {
	int32_t g;          /* from the thread pointer */
	uint32_t current_g; /* in an m */
	uint32_t vdso_sp;   /* in an m; 0: not known */
	uint32_t thread_id; /* in an m: the thread's, in its own pid namespace */
};

/* What is at the same place in all versions since Go 1.9: in a g, and in an m. */
enum {
	SPROF_GO_G_STACK = 0,      /* two words: [low, high) */
	SPROF_GO_G_M = 48,
	SPROF_GO_G_SCHED_SP = 56,
	SPROF_GO_G_SCHED_PC = 64,
	SPROF_GO_M_SYSTEM_G = 0,   /* of the thread's own stack: m.g0 */
};

/* False: it is not known here how this runtime does it. */
bool sprof_go_runtime_find(const struct sprof_go_table *table, struct sprof_go_runtime *ret);

#endif
