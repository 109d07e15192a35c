/*
 * What functions spend themselves: in their own code and in their system calls.
 */
#ifndef SPROF_PROFILE_OWN_H
#define SPROF_PROFILE_OWN_H

#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/view.h"

/*
 * The function that gets a stack's time. If the stack ends in a system call: its caller outside of
 * libc, and *ret_kernel is that call: "[read]". Else the innermost function. NONE: an empty
 * stack.
 */
uint32_t sprof_own_function(
	const struct sprof_profile *profile, uint32_t stack, uint32_t *ret_kernel);

struct sprof_own_row {
	uint32_t function;
	struct sprof_metrics self;
	struct sprof_waiting waiting; /* part of the time */
};

struct sprof_own {
	struct sprof_own_row *rows; /* by the view's weight, falling */
	size_t count;
};

/* By sprof_own_function(). Fills *ret; the caller finishes it. False: no memory. */
SPROF_MUST_USE bool sprof_own_build(const struct sprof_profile *profile,
	const struct sprof_view *view, struct sprof_own *ret, struct sprof_error *err);
void sprof_own_finish(struct sprof_own *own);

#endif
