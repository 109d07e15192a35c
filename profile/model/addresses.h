/* Converts a location to an address: link-time, in the module's file, or in the process. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "profile/model/profile.h"

/* The file offset. For a caller it is the return address minus one, which is inside the call. */
uint64_t sprof_location_offset(const struct sprof_profile_location *location);

/* The executable segment that contains the offset; NULL: none or unknown. */
const struct sprof_segment *sprof_profile_segment_at(
	const struct sprof_profile *profile, uint32_t module, uint64_t offset);

/* The link-time address of a location, as nm and objdump show it. Returns false if unknown. */
bool sprof_profile_link_address(const struct sprof_profile *profile,
	const struct sprof_profile_location *location, uint64_t *ret_address);

/*
 * The address in the first process that mapped the module; other processes may have it elsewhere.
 * Returns false if unknown.
 */
bool sprof_profile_process_address(const struct sprof_profile *profile,
	const struct sprof_profile_location *location, uint64_t *ret_address);
