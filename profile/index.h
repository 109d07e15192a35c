/*
 * Private to profile/: how the tables are searched while they grow.
 */
#ifndef SPROF_PROFILE_INDEX_H
#define SPROF_PROFILE_INDEX_H

#include "base/interned.h"
#include "base/strtab.h"
#include "profile/profile.h"
#include "profile/window.h"

/* The most of each that are kept; 0: any number. */
struct sprof_profile_bounds {
	size_t stacks, rows, threads, processes, contexts, waits;
	size_t text; /* bytes, in total */
};

/* What the sampler found a thread in, by its ids, until that is named (profile/name-waits.c). */
struct sprof_raw_context {
	enum sprof_state state;
	uint32_t wait; /* of the profile's waits; SPROF_WAIT_NONE */
	/* the lock's holder, and where it is; SPROF_PROFILE_NONE */
	uint32_t holding_thread, holding_stack;
	const char *labels; /* interned; NULL: none */
	uint32_t context;   /* the context of its rows until they are named: state and labels */
};

struct sprof_unnamed_row {
	uint32_t row, raw;
};

struct sprof_profile_index {
	struct sprof_strtab *strings;
	/* (place, the sampler's id and pid); of a file: (place, pid) */
	struct sprof_idmap processes;
	/* (0, the sampler's id); of a file: (process and tid, name) */
	struct sprof_idmap threads;
	struct sprof_idmap functions; /* profile/identity.h */
	struct sprof_idmap
		/* (module and kind of frame, offset); (all ones, interned name) */
		locations;
	struct sprof_idmap built; /* two hashes of frame and lines -> location made from a file */
	/* (parent and module and kind of frame, offset); (parent, location) */
	struct sprof_idmap stacks;
	struct sprof_idmap whole;   /* two hashes of all raw frames -> stack */
	struct sprof_idmap rows;    /* (thread and context or raw context, stack) */
	struct sprof_idmap raw_ids; /* two hashes of its fields */
	struct sprof_raw_context *raws;
	size_t raw_count, raw_capacity;
	struct sprof_unnamed_row *unnamed; /* rows with a raw context still to be named */
	size_t unnamed_count, unnamed_capacity;
	struct sprof_idmap contexts; /* two hashes of its fields */
	struct sprof_idmap comments; /* (0, interned text) */
	struct sprof_idmap waits;    /* two hashes of its fields */
	struct sprof_idmap entered;  /* (stack, wait) -> the stack with the kernel's end */
	struct sprof_profile_kernel kernel;
	struct sprof_modules *own_modules; /* of a profile read from a file */
	const char *host, *rank;           /* of later processes; NULL: not said */
	uint32_t run;                      /* of later threads */
	struct sprof_window *windows;      /* one per thread */
	size_t window_capacity;
	struct sprof_profile_bounds bounds;
	uint64_t end_realtime_ns; /* of the last merged profile; 0: not known */
	uint32_t other_stack;     /* 0: there is none yet */
	struct {
		uint64_t samples, threads, waits;
	} folded;               /* what the bounds had no room for */
	size_t locations_named; /* locations below this have lines */
	uint64_t locations_unresolved;
	size_t stacks_joined; /* the callers that made tail calls are known below this */
};

/* The stack and the context of a sample give its row. False: no memory. */
bool sprof_profile_find_row(struct sprof_profile *profile, const struct sprof_sample *sample,
	uint32_t thread, uint32_t *ret_row);

/* The sink's waited() (profile/waited.c). */
bool sprof_profile_sink_waited(
	void *data, const struct sprof_sample *where, const struct sprof_waited *waited);

/* The stack of raw frames, innermost first, at least one. False: no memory. */
bool sprof_profile_push_frames(struct sprof_profile *profile, const struct sprof_frame *frames,
	size_t count, uint32_t *ret_stack);

/*
 * The function that is the same by profile/identity.h; the other fields stay as first set. False: no
 * memory.
 */
bool sprof_profile_intern_function(struct sprof_profile *profile,
	const struct sprof_profile_function *function, uint32_t *ret_function);

/* The row of that thread, stack and context, created if new. False: no memory. */
bool sprof_profile_intern_row(
	struct sprof_profile *profile, const struct sprof_profile_row *row, uint32_t *ret_row);

/* The thread's row of [unsampled] time, created if new. False: no memory. */
bool sprof_profile_unsampled_row(struct sprof_profile *profile, uint32_t thread, uint32_t *ret_row);

/* The context with these fields, whose strings are interned. False: no memory. */
bool sprof_profile_intern_context(struct sprof_profile *profile,
	const struct sprof_profile_context *context, uint32_t *ret_context);

/* bounds.c: whether there is no room for one more. */
static inline bool sprof_profile_is_full(size_t count, size_t bound)
{
	return bound && count >= bound;
}

/* The text, or [other] if there is no room for it. False: no memory. */
bool sprof_profile_intern_text(struct sprof_profile *profile, const char *text, const char **ret);
/* The stack [other]. False: no memory. */
bool sprof_profile_other_stack(struct sprof_profile *profile, uint32_t *ret_stack);
/* Whether it is that stack, with or without the kernel's end. */
bool sprof_profile_is_other(const struct sprof_profile *profile, uint32_t stack);
/* The row of a sample: of its stack, or of [other] in the thread. False: no memory. */
bool sprof_profile_sample_row(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	const struct sprof_raw_context *context, uint32_t *ret_row);

/* raw.c: the raw context with these fields, without the field `context`. False: no memory. */
bool sprof_profile_intern_raw(
	struct sprof_profile *profile, const struct sprof_raw_context *context, uint32_t *ret_raw);
/* The row of a thread, stack and raw context, if there is one; SPROF_IDMAP_NONE. */
uint32_t sprof_profile_find_raw_row(
	const struct sprof_profile *profile, uint32_t thread, uint32_t stack, uint32_t raw);
/* The row of a thread, stack and raw context, created if new. False: no memory. */
bool sprof_profile_intern_raw_row(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	uint32_t raw, uint32_t *ret_row);
/* The thread of a record, created if new; it may be its process's [other]. False: no memory. */
bool sprof_profile_take_thread(struct sprof_profile *profile,
	const struct sprof_thread_record *record, uint32_t *ret_thread);
/* The thread with the sampler's id, or [other] of no process. False: no memory. */
bool sprof_profile_find_thread(struct sprof_profile *profile, uint32_t id, uint32_t *ret_thread);
/* The thread has ended: its id does not come again. */
void sprof_profile_forget_thread(struct sprof_profile *profile, uint32_t id);

/* waits-intern.c: the sink's wait(). */
bool sprof_profile_sink_wait(void *data, const struct sprof_wait *wait, uint32_t *ret_id);
/* The stack with the wait's kernel end on top. False: no memory. */
bool sprof_profile_enter_kernel(
	struct sprof_profile *profile, uint32_t stack, uint32_t wait, uint32_t *ret_stack);

/* timeline.c: adds the thread's next sample. False: no memory. */
bool sprof_profile_extend(
	struct sprof_profile *profile, uint32_t thread, const struct sprof_profile_span *more);

/* slices.c: sorts spans by begin, the order in which a run appends them. */
void sprof_profile_sort_spans(struct sprof_profile *profile);

/* Whether the process of a record, at the profile's present place, is known. */
bool sprof_profile_has_process(
	const struct sprof_profile *profile, const struct sprof_thread_record *record);
/* The process of a record at the profile's present place. False: no memory. */
bool sprof_profile_intern_process(struct sprof_profile *profile,
	const struct sprof_thread_record *record, uint32_t *ret_process);

/* The index of the thread with this key, appended if new. False: no memory. */
bool sprof_profile_intern_thread(
	struct sprof_profile *profile, uint64_t high, uint64_t low, uint32_t *ret_thread);

/* Appends a line to the last location that has lines. False: no memory. */
bool sprof_profile_append_line(struct sprof_profile *profile,
	struct sprof_profile_location *location, const struct sprof_profile_line *line);

#endif
