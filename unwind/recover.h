/*
 * Finds the frame pointer of a thread when only pc and sp are known.
 *
 * A sleeping thread is not stopped, so its frame pointer is unknown until an inner frame has saved
 * it. If a function's CFA depends on the frame pointer, its value is searched: it points into the
 * copied stack, and with the right value the walk reaches the root.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "unwind/pcs.h"
#include "unwind/snapshot.h"
#include "unwind/step.h"

/*
 * The distance of the frame pointer from sp for each pc that needed it. It is constant, unless the
 * function allocates a variable amount of stack. Zeroed is empty and valid.
 */
struct sprof_distances {
	struct sprof_idmap map;
};

void sprof_distances_finish(struct sprof_distances *distances);

/* Remembers the distance at this pc, before a step with a known frame pointer. */
void sprof_recover_learn(struct sprof_distances *distances, struct sprof_pc *known,
	const struct sprof_cursor *cursor);

struct sprof_recovery {
	struct sprof_pcs *pcs;
	struct sprof_distances *distances;
	const struct sprof_snapshot *snapshot;
	const struct sprof_maps *maps;
	size_t max_depth; /* frames per stack */
};

/*
 * Steps from a pc outside of code to the caller. A call through a null or wild pointer makes no
 * frame, so the return address is still where the call put it. The word there is accepted only if
 * it follows a call instruction. SPROF_STEP_OTHER: it does not.
 */
enum sprof_step sprof_recover_caller(
	const struct sprof_recovery *recovery, struct sprof_cursor *cursor);

/*
 * Sets the cursor's unknown frame pointer, which the rule at its pc needs. A value is accepted only
 * if the walk from there reaches the root, by CFI or, without CFI, by the chain of frame pointers.
 * Each return address in a file must follow a call instruction, and each CFA must be above the one
 * before. Among several values, the one predicted by the function's code wins, or else the one with
 * the best matching calls: a direct call should name the function that was called. If two match
 * equally well, neither is accepted.
 *
 * SPROF_STEP_OK: found. SPROF_STEP_STACK_COPY: a larger copy may help. SPROF_STEP_REGISTER: not
 * found.
 */
enum sprof_step sprof_recover(const struct sprof_recovery *recovery, struct sprof_cursor *cursor);
