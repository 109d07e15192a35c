/*
 * Private to profile/: how the tables are searched while they grow.
 */
#ifndef SPROF_PROFILE_INDEX_H
#define SPROF_PROFILE_INDEX_H

#include "base/idmap.h"
#include "base/strtab.h"
#include "profile/profile.h"
#include "profile/window.h"

/* At most so many of each; 0: any number. */
struct sprof_profile_bounds {
	size_t stacks, rows, threads, processes, contexts, waits;
	size_t text; /* bytes, together */
};

struct sprof_profile_index {
	struct sprof_strtab *strings;
	struct sprof_idmap processes; /* (place, the sampler's id and pid); of a file: (place, pid) */
	struct sprof_idmap threads;   /* (0, the sampler's id); of a file: (process and tid, name) */
	struct sprof_idmap functions; /* (interned name, module) */
	struct sprof_idmap
		locations;         /* (module and kind of frame, offset); (all ones, interned name) */
	struct sprof_idmap built;  /* two hashes of frame and lines -> location made from a file */
	struct sprof_idmap stacks; /* (parent and module and kind of frame, offset); (parent, location) */
	struct sprof_idmap whole;  /* two hashes of all raw frames -> stack */
	struct sprof_idmap rows;   /* (thread and context, stack) */
	struct sprof_idmap contexts; /* two hashes of its fields */
	struct sprof_idmap comments; /* (0, interned text) */
	struct sprof_idmap waits;    /* two hashes of its fields */
	struct sprof_idmap entered;  /* (stack, wait) -> the stack with the kernel's end */
	struct sprof_profile_kernel kernel;
	struct sprof_modules *own_modules; /* of a profile that was read from a file */
	const char *host, *rank; /* of the processes to come; NULL: not said */
	unsigned side; /* threads to come are none of those there are, unless of the same side */
	struct sprof_window *windows; /* one per thread */
	size_t window_capacity;
	struct sprof_profile_bounds bounds;
	uint64_t end_realtime_ns; /* of the last of the profiles that were merged; 0: not known */
	uint32_t other_stack; /* 0: there is none yet */
	struct {
		uint64_t samples, threads, waits;
	} folded; /* what the bounds left no room for */
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

/* The row of that thread, stack and context, made when new. False: no memory. */
bool sprof_profile_intern_row(struct sprof_profile *profile,
	const struct sprof_profile_row *row, uint32_t *ret_row);

/* The context with these fields, whose strings are interned ones. False: no memory. */
bool sprof_profile_intern_context(struct sprof_profile *profile,
	const struct sprof_profile_context *context, uint32_t *ret_context);

/* bounds.c: whether there are so many already that one more is not kept. */
static inline bool sprof_profile_is_full(size_t count, size_t bound)
{
	return bound && count >= bound;
}

/* The text, or [other] if there is no room for it. False: no memory. */
bool sprof_profile_intern_text(struct sprof_profile *profile, const char *text, const char **ret);
/* The stack [other]. False: no memory. */
bool sprof_profile_other_stack(struct sprof_profile *profile, uint32_t *ret_stack);
/* Whether it is that stack, with the kernel's end or without. */
bool sprof_profile_is_other(const struct sprof_profile *profile, uint32_t stack);
/* The row of a sample: that of the key, or of [other] in the thread. False: no memory. */
bool sprof_profile_sample_row(struct sprof_profile *profile, const struct sprof_profile_row *key,
	enum sprof_state state, uint32_t *ret_row);
/* The thread of a record, made when new: perhaps its process's [other]. False: no memory. */
bool sprof_profile_take_thread(struct sprof_profile *profile,
	const struct sprof_thread_record *record, uint32_t *ret_thread);
/* The thread that the sampler calls so, or [other] of no process. False: no memory. */
bool sprof_profile_find_thread(struct sprof_profile *profile, uint32_t id, uint32_t *ret_thread);
/* It has ended: its id is not coming again. */
void sprof_profile_forget_thread(struct sprof_profile *profile, uint32_t id);

/* A location that names something in the kernel, and is marked so. False: no memory. */
bool sprof_profile_kernel_location(
	struct sprof_profile *profile, const char *name, uint32_t *ret_location);

/* waits-intern.c: the sink's wait(). */
bool sprof_profile_sink_wait(void *data, const struct sprof_wait *wait, uint32_t *ret_id);
/* The stack with the kernel's end that a wait has. False: no memory. */
bool sprof_profile_enter_kernel(
	struct sprof_profile *profile, uint32_t stack, uint32_t wait, uint32_t *ret_stack);

/* timeline.c: what the thread was next. False: no memory. */
bool sprof_profile_extend(
	struct sprof_profile *profile, uint32_t thread, const struct sprof_profile_span *more);

/* slices.c: spans by their begin, as a run appends them. */
void sprof_profile_sort_spans(struct sprof_profile *profile);

/* Whether the process of a record, at the profile's present place, is known. */
bool sprof_profile_has_process(
	const struct sprof_profile *profile, const struct sprof_thread_record *record);
/* The process of a record at the profile's present place. False: no memory. */
bool sprof_profile_intern_process(struct sprof_profile *profile,
	const struct sprof_thread_record *record, uint32_t *ret_process);

/* The index of the thread with this key, appended when new. False: no memory. */
bool sprof_profile_intern_thread(
	struct sprof_profile *profile, uint64_t high, uint64_t low, uint32_t *ret_thread);

/* Appends a location without lines. False: no memory. */
bool sprof_profile_append_location(
	struct sprof_profile *profile, const struct sprof_frame *frame, uint32_t *ret_location);

/* Appends a line to the last of the locations that have lines. False: no memory. */
bool sprof_profile_append_line(struct sprof_profile *profile,
	struct sprof_profile_location *location, const struct sprof_profile_line *line);

#endif
