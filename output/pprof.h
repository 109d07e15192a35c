/*
 * Private to output/: the parts of the pprof writer.
 */
#ifndef SPROF_OUTPUT_PPROF_H
#define SPROF_OUTPUT_PPROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/interned.h"
#include "output/gzip.h"
#include "output/layout.h"
#include "output/message.h"
#include "profile/profile.h"
#include "profile/spans.h"

/* A row's samples in a slice of time, and the slice's begin. */
struct sprof_pprof_slice {
	uint64_t time_ns;
	uint32_t row, samples;
};

/* One thread's slices, by row and time. */
struct sprof_pprof_slices {
	uint64_t slice_ns; /* 0: there are none */
	struct sprof_spans spans;
	struct sprof_pprof_slice *items;
	size_t count, capacity, next;
};

/* False: no memory. Finish it in both cases. */
bool sprof_pprof_slices_init(
	struct sprof_pprof_slices *slices, const struct sprof_profile *profile);
void sprof_pprof_slices_finish(struct sprof_pprof_slices *slices);
/* Switches to a thread. False: no memory. */
bool sprof_pprof_slices_of(struct sprof_pprof_slices *slices, uint32_t thread);
/* The row's next slice; row numbers must rise from call to call. NULL: no more. */
const struct sprof_pprof_slice *sprof_pprof_next_slice(
	struct sprof_pprof_slices *slices, uint32_t row);

struct sprof_pprof_writer {
	const struct sprof_profile *profile;
	/* Threads below this are the base of a difference and count negative; 0: no difference. */
	uint32_t base_threads;
	struct sprof_gzip *gzip;
	struct sprof_layout layout;
	struct sprof_idmap strings; /* (0, address of the text) -> its number */
	uint32_t string_count;
	struct sprof_message message, inner, packed, frame;
	struct sprof_message labels; /* of the current thread */
	struct sprof_pprof_slices slices;
	struct sprof_idmap sets; /* (0, address of a set of other labels) -> its place in encoded */
	struct sprof_message *encoded;
	size_t set_count, set_capacity;
	bool failed; /* no memory */
};

/* Writes the first string, which is empty; call it before all others. */
void sprof_pprof_begin_strings(struct sprof_pprof_writer *writer);
/* The number of a string, written if new; 0 for NULL and "". The text must outlive the writer. */
uint32_t sprof_pprof_string(struct sprof_pprof_writer *writer, const char *text);
/* The same for a text that may be freed earlier; it is written every time. */
uint32_t sprof_pprof_new_string(struct sprof_pprof_writer *writer, const char *text);

/* Writes a field of message Profile and empties the message. */
void sprof_pprof_put(
	struct sprof_pprof_writer *writer, uint32_t field, struct sprof_message *message);

void sprof_pprof_write_comments(struct sprof_pprof_writer *writer);
void sprof_pprof_write_samples(struct sprof_pprof_writer *writer);

#endif
