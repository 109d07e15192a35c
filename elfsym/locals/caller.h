/* A step to the caller with any row of CFI and all registers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/attributes.h"
#include "elfsym/cfi/cfi.h"
#include "elfsym/locals/frame-machine.h"

/*
 * Sets the CFA of the frame at a link-time address. Returns false if no CFI covers the address, or
 * if the CFA depends on an unknown register or on unreadable memory.
 */
bool sprof_cfi_find_cfa(struct sprof_cfi *cfi, uint64_t address,
	struct sprof_frame_machine *machine) SPROF_MUST_USE;

/*
 * Replaces the registers of the frame at a link-time address by its caller's, the pc among them.
 * The machine's CFA must be set; it becomes unknown. False if the caller's pc is unknown.
 */
bool sprof_cfi_find_caller(struct sprof_cfi *cfi, uint64_t address,
	struct sprof_frame_machine *machine, uint64_t *ret_pc) SPROF_MUST_USE;
