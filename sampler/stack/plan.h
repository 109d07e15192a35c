/*
 * How a thread's stack is copied: how much, and where its own stack lies. Walks update the plan.
 */
#ifndef SPROF_SAMPLER_STACK_PLAN_H
#define SPROF_SAMPLER_STACK_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct copy_plan {
	size_t size; /* in bytes; grows if it was too little */
	/* its own stack: the end of the mapping, and the last sp */
	uint64_t home_end, home_sp;
	size_t goroutine_size; /* of a goroutine's stack, in bytes; 0: not a Go thread */
	/* a Go thread: copy its own stack too, while it is on a goroutine's */
	bool wants_system;
};

void sprof_copy_plan_init(struct copy_plan *plan);
/* Makes each copy as large as a copy may be. */
void sprof_copy_plan_expect_all(struct copy_plan *plan);
/* For an interpreter, which calls itself for each call, and if a timer's copy was too small. */
void sprof_copy_plan_expect_deep(struct copy_plan *plan);
/* The stack did not fit: the next copy is larger. */
void sprof_copy_plan_grow(struct copy_plan *plan);
/* The same for a thread that runs a goroutine. wants_system: its own stack is missing. */
void sprof_copy_plan_grow_goroutine(struct copy_plan *plan, bool wants_system);
/* It is a Go thread, in a program whose C code may have called Go (wants_system). */
void sprof_copy_plan_expect_goroutine(struct copy_plan *plan, bool wants_system);
/* The thread runs another program: its stack is elsewhere. */
void sprof_copy_plan_forget_program(struct copy_plan *plan);
/* Notes the end of the thread's own stack, and its last sp. */
void sprof_copy_plan_set_home(struct copy_plan *plan, uint64_t end, uint64_t sp);
/* The size of the largest copy, in bytes. */
size_t sprof_copy_plan_largest(const struct copy_plan *plan);

#endif
