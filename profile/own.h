/*
 * What functions spend themselves: in their own code and in the system calls that they make.
 */
#ifndef SPROF_PROFILE_OWN_H
#define SPROF_PROFILE_OWN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/view.h"

/*
 * Whose time that on a stack is: of one that ends in a system call the function's outside of libc that
 * made it, and *ret_kernel is the kernel's function; of any other its innermost function's. NONE: an
 * empty stack.
 */
uint32_t sprof_own_function(const struct sprof_profile *profile, uint32_t stack, uint32_t *ret_kernel);

struct sprof_own_row {
	uint32_t function;
	struct sprof_metrics self;
	struct sprof_waiting waiting; /* of it */
};

struct sprof_own {
	struct sprof_own_row *rows; /* by the view's weight, falling */
	size_t count;
};

/* By sprof_own_function(). Fills *ret, to be finished. False: no memory. */
bool sprof_own_build(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_own *ret, struct sprof_error *err);
void sprof_own_finish(struct sprof_own *own);

#endif
