/*
 * Private to interp/: native frames and those of an interpreter, put together.
 */
#ifndef SPROF_INTERP_MERGE_H
#define SPROF_INTERP_MERGE_H

#include "interp/runtime.h"

/* How they fit. */
struct sprof_merge_fit {
	/* The innermost loop is taken to be at its begin or end, without a frame of its own. */
	bool is_between;
	/* Native frames, from the innermost one, that belong to the interpreter's current stack. */
	size_t count;
};

/* Whether they fit, or why not. The copy may be NULL. */
enum sprof_merge sprof_merge_judge(struct sprof_interp_process *process,
	const struct sprof_interp_copy *copy, const struct sprof_stack_view *stack,
	struct sprof_merge_fit *ret);

/*
 * Merges what fits: the stack that was judged last. *stack becomes the merged stack, in memory of the
 * process's. False: no memory; then it is unchanged.
 */
SPROF_MUST_USE bool sprof_merge_build(struct sprof_interp_process *process,
	enum sprof_interp_mode mode, const struct sprof_interp_copy *copy,
	const struct sprof_frame *names, const struct sprof_merge_fit *fit,
	struct sprof_stack_view *stack);

#endif
