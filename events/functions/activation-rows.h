/* Books the calls of one thread's stack in rows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "events/functions/activation-stack.h"

/* The row of a function, or of it and its caller. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activation_find_place(struct sprof_activation_stack *stack,
	uint32_t function, uint32_t caller, struct sprof_activation_place *ret);

/* Passes the end of a call to the books' owner. */
void sprof_activation_pass_end(const struct sprof_activation_stack *stack,
	const struct sprof_activation_frame *frame, enum sprof_activation_end end);

/*
 * Counts a frame that has left the stack. The caller may be NULL. Returns false if out of memory.
 */
SPROF_MUST_USE bool sprof_activation_book(struct sprof_activation_stack *stack,
	const struct sprof_activation_frame *frame, struct sprof_activation_frame *caller,
	enum sprof_activation_end how, uint64_t end_ns);
