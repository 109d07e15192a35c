/*
 * Private to output/: assigns addresses, for formats that identify code by address only. A profile
 * has file offsets. The layout maps each module at a separate address range, as the kernel would,
 * at link-time addresses where possible.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/model/profile.h"

struct sprof_layout_mapping {
	uint32_t module;
	uint64_t start, size; /* in memory */
	uint64_t offset;      /* file offset of `start` */
};

struct sprof_layout {
	struct sprof_layout_mapping *mappings; /* by module */
	size_t count, capacity;
	uint32_t *first; /* by module: index of its first mapping; one more at the end */
	size_t module_count;
};

/* Returns false if out of memory. Finish it in both cases. */
bool sprof_layout_build(const struct sprof_profile *profile, struct sprof_layout *ret);
void sprof_layout_finish(struct sprof_layout *layout);

/*
 * The mapping of a location with a module, and the address of its frame. For a caller it is the
 * return address minus one, which is inside the call.
 */
size_t sprof_layout_find(const struct sprof_layout *layout,
	const struct sprof_profile_location *location, uint64_t *ret_address);
