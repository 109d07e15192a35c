/*
 * Finds the frame pointer of a thread when only pc and sp are known.
 *
 * A sleeper is never stopped, so its frame pointer is unknown until an inner frame has saved it. If
 * a function's CFA depends on the frame pointer, we search for the value: it points into the copied
 * stack, and with the right value the walk reaches the root.
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
 * The distance of the frame pointer from sp at each place that needed it. It is the same at each
 * visit, unless the function allocates on its stack. Zeroed is empty and valid.
 */
struct sprof_distances {
	struct sprof_idmap map;
};

void sprof_distances_finish(struct sprof_distances *distances);

/* Remembers the distance at this pc, before a step with a known frame pointer. */
void sprof_recover_learn(struct sprof_distances *distances, struct sprof_pc *known,
	const struct sprof_cursor *cursor);

/* The inputs of a recovery. */
struct sprof_recovery {
	struct sprof_pcs *pcs;
	struct sprof_distances *distances;
	const struct sprof_snapshot *snapshot;
	const struct sprof_maps *maps;
	size_t max_depth; /* frames per stack */
};

/*
 * Sets the cursor's frame pointer, which the rule at its pc needs and which is unknown. A value is
 * taken only if the walk from there reaches the root, by CFI or, without CFI, by the chain of frame
 * pointers. Each return address in a file must follow a call instruction, and each CFA must be
 * above the one before. Among several such values, the one that the function's code gives wins, or
 * else the one whose calls fit best: a direct call should name the function that was called. If two
 * fit equally well, neither is taken.
 *
 * SPROF_STEP_OK: found. SPROF_STEP_STACK_COPY: a larger copy may help. SPROF_STEP_REGISTER: there
 * is none.
 */
enum sprof_step sprof_recover(const struct sprof_recovery *recovery, struct sprof_cursor *cursor);

#endif
