/*
 * Private to profile/: how the tables are searched while they grow.
 */
#ifndef SPROF_PROFILE_INDEX_H
#define SPROF_PROFILE_INDEX_H

#include "base/idmap.h"
#include "base/strtab.h"
#include "profile/profile.h"
#include "profile/window.h"

struct sprof_profile_index {
	struct sprof_strtab *strings;
	struct sprof_idmap processes; /* (0, pid) */
	struct sprof_idmap threads;   /* (0, the sampler's id) */
	struct sprof_idmap functions; /* (interned name, module) */
	struct sprof_idmap
		locations;         /* (module and is_return, offset); (all ones, interned name) */
	struct sprof_idmap stacks; /* (parent and module and is_return, offset) */
	struct sprof_idmap whole;  /* two hashes of all raw frames -> stack */
	struct sprof_idmap rows;   /* (thread, stack) */
	struct sprof_window *windows; /* one per thread */
	size_t window_capacity;
	size_t locations_named; /* those below have lines */
	uint64_t locations_unresolved;
};

/* The stack of raw frames, innermost first, at least one. False: no memory. */
bool sprof_profile_push_frames(struct sprof_profile *profile, const struct sprof_frame *frames,
	size_t count, uint32_t *ret_stack);

/* The function with this (name, module); the other fields are kept from the first time. False: no
 * memory. */
bool sprof_profile_intern_function(struct sprof_profile *profile,
	const struct sprof_profile_function *function, uint32_t *ret_function);

/* Appends a line to the last of the locations that have lines. False: no memory. */
bool sprof_profile_append_line(struct sprof_profile *profile,
	struct sprof_profile_location *location, const struct sprof_profile_line *line);

#endif
