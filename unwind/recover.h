/*
 * Finding the frame pointer of a thread whose registers are not known but for pc and sp.
 *
 * A sleeper is never stopped, so its frame pointer is unknown until an inner frame has saved it. Where a
 * function finds its CFA by it, the value is looked for: it points into the copied stack, and with the right
 * value the walk reaches the root.
 */
#ifndef SPROF_UNWIND_RECOVER_H
#define SPROF_UNWIND_RECOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/idmap.h"
#include "unwind/pcs.h"
#include "unwind/snapshot.h"
#include "unwind/step.h"

/*
 * The distance of the frame pointer from sp at each place where it was needed. It is the same at each visit,
 * unless the function allocates on its stack. Zeroed is empty and valid.
 */
struct sprof_distances {
	struct sprof_idmap map;
};

void sprof_distances_finish(struct sprof_distances *distances);

/* A step from this pc is about to be made, with a frame pointer that is known: remembers the distance. */
void sprof_recover_learn(struct sprof_distances *distances, struct sprof_pc *known,
	const struct sprof_cursor *cursor);

/* What a recovery works on. */
struct sprof_recovery {
	struct sprof_pcs *pcs;
	struct sprof_distances *distances;
	const struct sprof_snapshot *snapshot;
	const struct sprof_maps *maps;
	size_t max_depth; /* frames per stack */
};

/*
 * Sets the cursor's frame pointer, which the rule at its pc needs and which is not known. A value is taken
 * only if the walk from there reaches the root, by CFI or where there is none by the chain of frame pointers, each
 * return address in a file stands behind a call instruction and each CFA is above the one before. Among several such values it is the one that the function's
 * code leads to, or else the one whose calls fit best: a direct call should name the function that was called.
 * Where two fit equally well, neither is taken.
 *
 * SPROF_STEP_OK: found. SPROF_STEP_STACK_COPY: a larger copy may help. SPROF_STEP_REGISTER: there is none.
 */
enum sprof_step sprof_recover(const struct sprof_recovery *recovery, struct sprof_cursor *cursor);

#endif
