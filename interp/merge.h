/* Private to interp/: merges native frames with an interpreter's. */
#pragma once

#include "interp/runtime.h"

/* How they match. */
struct sprof_merge_fit {
	/* The innermost loop is assumed to be in its prologue or epilogue, without a frame. */
	bool is_between;
	/*
	 * Number of native frames, from the innermost, that belong to the interpreter's current
	 * stack.
	 */
	size_t count;
};

/* Whether they match, or why not. The copy may be NULL. */
enum sprof_merge sprof_merge_judge(struct sprof_interp_process *process,
	const struct sprof_interp_copy *copy, const struct sprof_stack_view *stack,
	struct sprof_merge_fit *ret);

/*
 * Merges the stack that was judged last. *stack becomes the merged stack, in memory of the
 * process's. Returns false, and leaves it unchanged, if out of memory.
 */
SPROF_MUST_USE bool sprof_merge_build(struct sprof_interp_process *process,
	enum sprof_interp_mode mode, const struct sprof_interp_copy *copy,
	const struct sprof_frame *names, const struct sprof_merge_fit *fit,
	struct sprof_stack_view *stack);
