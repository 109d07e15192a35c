/*
 * Private to output/: addresses for formats that have nothing else. A profile has places in files.
 * The layout gives each module a place for itself, as the kernel would map it: the link-time
 * addresses of as many as possible.
 */
#ifndef SPROF_OUTPUT_LAYOUT_H
#define SPROF_OUTPUT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct sprof_layout_mapping {
	uint32_t module;
	uint64_t start, size; /* in memory */
	uint64_t offset;      /* the start's offset in the file */
};

struct sprof_layout {
	struct sprof_layout_mapping *mappings; /* by module */
	size_t count, capacity;
	uint32_t *first; /* by module: its first mapping; plus one item at the end */
	size_t module_count;
};

/* False: no memory. Finish it in both cases. */
bool sprof_layout_build(const struct sprof_profile *profile, struct sprof_layout *ret);
void sprof_layout_finish(struct sprof_layout *layout);

/*
 * The mapping of a location with a module, and the address of its frame. A caller's address is the
 * call's: one byte before the return address.
 */
size_t sprof_layout_find(const struct sprof_layout *layout,
	const struct sprof_profile_location *location, uint64_t *ret_address);

#endif
