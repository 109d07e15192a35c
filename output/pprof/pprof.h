/*
 * Private to output/: the parts of the pprof writer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/interned.h"
#include "output/formats/layout.h"
#include "output/gzip.h"
#include "output/pprof/message.h"
#include "profile/model/profile.h"
#include "profile/model/spans.h"

/* A row's samples in a time slice, and the slice's start. */
struct sprof_pprof_slice {
	uint64_t time_ns;
	uint32_t row, samples;
};

/* One thread's slices, by row and time. */
struct sprof_pprof_slices {
	uint64_t slice_ns; /* 0: no slices */
	struct sprof_spans spans;
	struct sprof_pprof_slice *items;
	size_t count, capacity, next;
};

/* Returns false if out of memory. Finish it in both cases. */
bool sprof_pprof_slices_init(
	struct sprof_pprof_slices *slices, const struct sprof_profile *profile);
void sprof_pprof_slices_finish(struct sprof_pprof_slices *slices);
/* Switches to a thread. Returns false if out of memory. */
bool sprof_pprof_slices_of(struct sprof_pprof_slices *slices, uint32_t thread);
/* The row's next slice; row numbers must increase from call to call. NULL: no more. */
const struct sprof_pprof_slice *sprof_pprof_next_slice(
	struct sprof_pprof_slices *slices, uint32_t row);

/* A function's lines in another file; in pprof's format they need a separate function. */
struct sprof_pprof_included {
	uint32_t function;
	enum sprof_mark mark;
	const char *file;
};

struct sprof_pprof_writer {
	const struct sprof_profile *profile;
	/*
	 * Threads below this are the base of a difference and have negative values; 0: no
	 * difference.
	 */
	uint32_t base_threads;
	struct sprof_gzip *gzip;
	struct sprof_layout layout;
	struct sprof_idmap strings; /* (0, address of the text) -> its number */
	uint32_t string_count;
	struct sprof_message message, inner, packed, frame;
	struct sprof_message labels; /* of the current thread */
	struct sprof_pprof_slices slices;
	/* Additional function entries for lines in other files than the function's. */
	struct sprof_idmap included_ids; /* (function and mark, file) -> its index */
	struct sprof_pprof_included *included;
	size_t included_count, included_capacity;
	/* (0, address of a set of other tools' labels) -> its offset in `encoded` */
	struct sprof_idmap sets;
	struct sprof_message *encoded;
	size_t set_count, set_capacity;
	bool failed; /* out of memory */
};

/*
 * The format has no field for tail calls, so the mark is part of the name, and the function gets a
 * separate id.
 */
static inline uint64_t sprof_pprof_function_id(
	const struct sprof_profile *profile, uint32_t function, enum sprof_mark mark)
{
	bool is_named = mark == SPROF_MARK_TAIL_CALL || mark == SPROF_MARK_TAIL_CALLED;

	return function + (uint64_t)1 + (is_named ? mark * (uint64_t)profile->function_count : 0);
}

static inline uint64_t sprof_pprof_included_id(const struct sprof_profile *profile, size_t index)
{
	return SPROF_MARK_COUNT * (uint64_t)profile->function_count + 1 + index;
}

/* Writes the empty first string; call it before all others. */
void sprof_pprof_begin_strings(struct sprof_pprof_writer *writer);
/* The index of a string, written when new; 0 for NULL and "". The text must outlive the writer. */
uint32_t sprof_pprof_string(struct sprof_pprof_writer *writer, const char *text);
/* The same for a text that may be freed earlier; it is written each time. */
uint32_t sprof_pprof_new_string(struct sprof_pprof_writer *writer, const char *text);

/* Writes a field of the message Profile, and empties `message`. */
void sprof_pprof_put(
	struct sprof_pprof_writer *writer, uint32_t field, struct sprof_message *message);

void sprof_pprof_write_comments(struct sprof_pprof_writer *writer);
void sprof_pprof_write_samples(struct sprof_pprof_writer *writer);
