/*
 * From the registers of a frame to those of its caller.
 */
#ifndef SPROF_ELFSYM_CALLER_REGISTERS_H
#define SPROF_ELFSYM_CALLER_REGISTERS_H

#include <stdint.h>

#include "elfsym/cfi.h"
#include "elfsym/frame-machine.h"

/*
 * Replaces the registers of the frame at a link-time address, whose CFA must be set, by its
 * caller's. Those that can't be told are unknown then, and so is the CFA.
 */
void sprof_caller_registers_find(
	struct sprof_cfi *cfi, uint64_t address, struct sprof_frame_machine *machine);

#endif
