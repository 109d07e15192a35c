/*
 * Private to interp/: native frames and those of an interpreter, put together.
 */
#ifndef SPROF_INTERP_MERGE_H
#define SPROF_INTERP_MERGE_H

#include "interp/python.h"

/*
 * Whether they fit, or why not. The copy may be NULL. *ret_is_between: they fit because the innermost loop
 * is taken to be at its begin or end, without a frame of its own.
 */
enum sprof_merge sprof_merge_judge(struct sprof_interp_process *process,
	const struct sprof_interp_copy *copy, const struct sprof_stack_view *stack,
	bool *ret_is_between);

/*
 * Merges what fits. *stack becomes the merged stack, in memory of the process's. False: no memory;
 * then it is unchanged.
 */
SPROF_MUST_USE bool sprof_merge_build(struct sprof_interp_process *process,
	enum sprof_interp_mode mode, const struct sprof_interp_copy *copy,
	const struct sprof_frame *names, struct sprof_stack_view *stack);

#endif
