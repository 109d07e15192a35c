/*
 * A step with all registers, for CFI rows that need more than pc, sp and fp. Register values are
 * tracked from the innermost frame outwards.
 */
#pragma once

#include <stddef.h>

#include "base/record.h"
#include "unwind/images.h"
#include "unwind/snapshot.h"
#include "unwind/step.h"

/* The frames of a walk so far, innermost first, with the registers at each. */
struct sprof_trail {
	const struct sprof_images *images; /* the modules of all frames are open */
	const struct sprof_frame *frames;
	const struct sprof_frame_registers *registers;
	size_t count; /* at least 1; the last frame is the cursor's */
};

/*
 * Moves the cursor to the caller of the trail's last frame. SPROF_STEP_OTHER: a needed register is
 * unknown. Unchanged unless the result is OK.
 */
enum sprof_step sprof_step_by_registers(const struct sprof_snapshot *snapshot,
	const struct sprof_trail *trail, struct sprof_cursor *cursor);
