/* Private to profile/: lookup tables used while a profile grows. */
#pragma once

#include "base/interned.h"
#include "base/strtab.h"
#include "profile/model/profile.h"
#include "profile/model/window.h"

/* Limits; 0: none. */
struct sprof_profile_bounds {
	size_t stacks, rows, threads, processes, contexts, waits;
	size_t text; /* total bytes */
};

/* A sample's context as the sampler's ids, before naming (profile/names/name-waits.c). */
struct sprof_raw_context {
	enum sprof_state state;
	uint32_t wait; /* index in the profile's waits; SPROF_WAIT_NONE */
	/* the lock's holder and its stack; SPROF_PROFILE_NONE */
	uint32_t holding_thread, holding_stack;
	const char *labels; /* interned; NULL: none */
	uint32_t context;   /* context of its rows before naming: state and labels */
};

struct sprof_unnamed_row {
	uint32_t row, raw;
};

struct sprof_profile_index {
	struct sprof_strtab *strings;
	/* (place, sampler's id and pid); from a file: (place, pid) */
	struct sprof_idmap processes;
	/* (0, sampler's id); from a file: (process and tid, name) */
	struct sprof_idmap threads;
	struct sprof_idmap functions; /* profile/model/function-key.c */
	/* (0, function) -> the one that a later run has shown it to be; see profile/edit/merge.c */
	struct sprof_idmap joined;
	struct sprof_idmap
		/* (module and kind of frame, offset); (all ones, interned name) */
		locations;
	struct sprof_idmap built; /* two hashes of frame and lines -> location; for files */
	/* (parent and module and kind of frame, offset); (parent, location) */
	struct sprof_idmap stacks;
	struct sprof_idmap whole;   /* two hashes of all raw frames -> stack */
	struct sprof_idmap rows;    /* (thread and context or raw context, stack) */
	struct sprof_idmap raw_ids; /* two hashes of its fields */
	struct sprof_raw_context *raws;
	size_t raw_count, raw_capacity;
	struct sprof_unnamed_row *unnamed; /* rows with a raw context that is not named yet */
	size_t unnamed_count, unnamed_capacity;
	struct sprof_idmap contexts; /* two hashes of its fields */
	struct sprof_idmap comments; /* (0, interned text) */
	struct sprof_idmap waits;    /* two hashes of its fields */
	struct sprof_idmap entered;  /* (stack, wait) -> the stack with kernel frames */
	struct sprof_profile_kernel kernel;
	struct sprof_modules *own_modules; /* for a profile read from a file */
	const char *host, *rank;           /* for processes added from now on; NULL: unknown */
	uint32_t run;                      /* for threads added from now on */
	struct sprof_window *windows;      /* by thread */
	size_t window_capacity;
	struct sprof_profile_bounds bounds;
	uint64_t end_realtime_ns; /* of the last merged profile; 0: unknown */
	uint32_t other_stack;     /* 0: not created yet */
	struct {
		uint64_t samples, threads, waits;
	} folded;               /* what exceeded the bounds */
	size_t locations_named; /* locations below this index are named */
	uint64_t locations_unresolved;
	size_t stacks_joined; /* for stacks below this index, tail calls are resolved */
};

/* The row for a sample's stack and context. Returns false if out of memory. */
bool sprof_profile_find_row(struct sprof_profile *profile, const struct sprof_sample *sample,
	uint32_t thread, uint32_t *ret_row);

/* In measured-waits.c: the sink's waited(). */
bool sprof_profile_sink_waited(
	void *data, const struct sprof_sample *where, const struct sprof_waited *waited);

/*
 * Finds or adds the stack of raw frames, innermost first; at least one. Returns false if out of
 * memory.
 */
bool sprof_profile_push_frames(struct sprof_profile *profile, const struct sprof_frame *frames,
	size_t count, uint32_t *ret_stack);

/*
 * Finds or adds the function, compared by profile/model/function-key.c; other fields keep their
 * first values. Returns false if out of memory.
 */
bool sprof_profile_intern_function(struct sprof_profile *profile,
	const struct sprof_profile_function *function, uint32_t *ret_function);

/* The function that it has turned out to be; mostly itself. */
uint32_t sprof_profile_joined_function(const struct sprof_profile *profile, uint32_t function);

/* Finds or adds the row of this thread, stack and context. Returns false if out of memory. */
bool sprof_profile_intern_row(
	struct sprof_profile *profile, const struct sprof_profile_row *row, uint32_t *ret_row);

/* The thread's row of [unsampled] time, created if new. Returns false if out of memory. */
bool sprof_profile_unsampled_row(struct sprof_profile *profile, uint32_t thread, uint32_t *ret_row);

/* The context with these fields, whose strings are interned. Returns false if out of memory. */
bool sprof_profile_intern_context(struct sprof_profile *profile,
	const struct sprof_profile_context *context, uint32_t *ret_context);

/* In bounds.c: whether the limit is reached. */
static inline bool sprof_profile_is_full(size_t count, size_t bound)
{
	return bound && count >= bound;
}

/* Interns the text; gives [other] if the limit is reached. Returns false if out of memory. */
bool sprof_profile_intern_text(struct sprof_profile *profile, const char *text, const char **ret);
/* The stack [other]. Returns false if out of memory. */
bool sprof_profile_other_stack(struct sprof_profile *profile, uint32_t *ret_stack);
/* Whether the stack is [other], with or without kernel frames. */
bool sprof_profile_is_other(const struct sprof_profile *profile, uint32_t stack);
/*
 * The row of a sample: for its stack, or for [other] if the limit is reached. Returns false if out
 * of memory.
 */
bool sprof_profile_sample_row(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	const struct sprof_raw_context *context, uint32_t *ret_row);

/*
 * In raw-rows.c: finds or adds a raw context; ignores the field `context`. Returns false if out of
 * memory.
 */
bool sprof_profile_intern_raw(
	struct sprof_profile *profile, const struct sprof_raw_context *context, uint32_t *ret_raw);
/* The row of a thread, stack and raw context; SPROF_IDMAP_NONE: none. */
uint32_t sprof_profile_find_raw_row(
	const struct sprof_profile *profile, uint32_t thread, uint32_t stack, uint32_t raw);
/* Finds or adds the row of a thread, stack and raw context. Returns false if out of memory. */
bool sprof_profile_intern_raw_row(struct sprof_profile *profile, uint32_t thread, uint32_t stack,
	uint32_t raw, uint32_t *ret_row);
/*
 * Finds or adds the thread of a record; gives its process's [other] if the limit is reached.
 * Returns false if out of memory.
 */
bool sprof_profile_take_thread(struct sprof_profile *profile,
	const struct sprof_thread_record *record, uint32_t *ret_thread);
/*
 * The thread with the sampler's id; if unknown, the [other] without a process. Returns false if out
 * of memory.
 */
bool sprof_profile_find_thread(struct sprof_profile *profile, uint32_t id, uint32_t *ret_thread);
/* The thread has ended; its id is not reused. */
void sprof_profile_forget_thread(struct sprof_profile *profile, uint32_t id);

/* In waits-intern.c: the sink's wait(). */
bool sprof_profile_sink_wait(void *data, const struct sprof_wait *wait, uint32_t *ret_id);
/* Appends the wait's kernel frames to the stack. Returns false if out of memory. */
bool sprof_profile_enter_kernel(
	struct sprof_profile *profile, uint32_t stack, uint32_t wait, uint32_t *ret_stack);

/* In timeline.c: adds the thread's next sample. Returns false if out of memory. */
bool sprof_profile_extend(
	struct sprof_profile *profile, uint32_t thread, const struct sprof_profile_span *more);

/*
 * In function-key.c: functions of one profile with equal keys are the same. The strings must be the
 * profile's. The key ignores the line, and detours in the file's path ("src/../inc/list.h").
 */
struct sprof_hash sprof_identity_key(const struct sprof_profile_function *function);

/* In slices.c: sorts spans by begin, as a recording would append them. */
void sprof_profile_sort_spans(struct sprof_profile *profile);

/* Whether the record's process, at the current place (host and rank), is known. */
bool sprof_profile_has_process(
	const struct sprof_profile *profile, const struct sprof_thread_record *record);
/* Finds or adds the record's process at the current place. Returns false if out of memory. */
bool sprof_profile_intern_process(struct sprof_profile *profile,
	const struct sprof_thread_record *record, uint32_t *ret_process);

/* Finds or adds the thread with this key. Returns false if out of memory. */
bool sprof_profile_intern_thread(
	struct sprof_profile *profile, uint64_t high, uint64_t low, uint32_t *ret_thread);

/* Appends a line to the last named location. Returns false if out of memory. */
bool sprof_profile_append_line(struct sprof_profile *profile,
	struct sprof_profile_location *location, const struct sprof_profile_line *line);
