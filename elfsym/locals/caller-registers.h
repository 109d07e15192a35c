/* Computes the registers of a frame's caller. */
#pragma once

#include <stdint.h>

#include "elfsym/cfi/cfi.h"
#include "elfsym/locals/frame-machine.h"

/*
 * Replaces the registers of the frame at a link-time address, whose CFA must be set, by its
 * caller's. Registers that can't be determined, and the CFA, become unknown.
 */
void sprof_caller_registers_find(
	struct sprof_cfi *cfi, uint64_t address, struct sprof_frame_machine *machine);
