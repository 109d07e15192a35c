/*
 * Where the code of a location is: in its module's file as it was linked, and in the process.
 */
#ifndef SPROF_PROFILE_ADDRESSES_H
#define SPROF_PROFILE_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* The offset in the file. A caller's is the one of its call: a byte before the return address. */
uint64_t sprof_location_offset(const struct sprof_profile_location *location);

/* The executable part of the module's file that has the offset; NULL: none, or not known. */
const struct sprof_profile_segment *sprof_profile_segment_at(
	const struct sprof_profile *profile, uint32_t module, uint64_t offset);

/* The link-time address of a location, as nm and objdump show it. False: not known. */
bool sprof_profile_link_address(const struct sprof_profile *profile,
	const struct sprof_profile_location *location, uint64_t *ret_address);

/*
 * The address in the process that was the first to have the module mapped; others may have it
 * elsewhere. False: not known.
 */
bool sprof_profile_process_address(const struct sprof_profile *profile,
	const struct sprof_profile_location *location, uint64_t *ret_address);

#endif
