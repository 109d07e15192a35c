/*
 * A step by all registers, for rows of CFI that need others than pc, sp and fp. They are followed
 * from the innermost frame.
 */
#ifndef SPROF_UNWIND_REGISTERS_H
#define SPROF_UNWIND_REGISTERS_H

#include <stddef.h>

#include "base/record.h"
#include "unwind/images.h"
#include "unwind/snapshot.h"
#include "unwind/step.h"

/* The frames of a walk so far, innermost first, with the registers at each. */
struct sprof_trail {
	const struct sprof_images *images; /* all modules of the frames are opened */
	const struct sprof_frame *frames;
	const struct sprof_frame_registers *registers;
	size_t count; /* at least 1; the last frame is the cursor's */
};

/*
 * Moves the cursor to the caller of the trail's last frame. SPROF_STEP_OTHER: a register that it
 * takes is unknown. Unchanged unless the result is OK.
 */
enum sprof_step sprof_step_by_registers(const struct sprof_snapshot *snapshot,
	const struct sprof_trail *trail, struct sprof_cursor *cursor);

#endif
