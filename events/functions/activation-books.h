/*
 * Statistics of function calls: one row per function and one per pair of function and caller, per
 * thread if wanted; and a list of the first calls.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/histogram.h"
#include "base/idmap.h"
#include "events/event-type.h"

#define SPROF_ACTIVATION_ANY UINT32_MAX        /* of all callers, or of all threads */
#define SPROF_ACTIVATION_ROOT (UINT32_MAX - 1) /* no watched function has called it */
#define SPROF_ACTIVATION_NONE UINT32_MAX       /* a call that is not kept */

/* How a call ended. */
enum sprof_activation_end {
	SPROF_ACTIVATION_RETURNED,
	SPROF_ACTIVATION_CUT,  /* its thread ended, or the process ran another program */
	SPROF_ACTIVATION_OPEN, /* it was under way at the end */
	SPROF_ACTIVATION_EDGE, /* it was under way when a window ended */
	/* For these, the duration is unknown. */
	SPROF_ACTIVATION_LEFT,    /* by longjmp, an exception: it did not return */
	SPROF_ACTIVATION_LOST,    /* records were lost while it was under way */
	SPROF_ACTIVATION_COUNTED, /* the source reports no returns */
	SPROF_ACTIVATION_ENDS,
};

/* Thread and function ids are those of the events. Times in ns. */
struct sprof_activation_row {
	uint32_t thread; /* ANY: all threads together */
	uint32_t function;
	uint32_t caller; /* ANY: the row of the function, over all callers; ROOT */
	/* Indexed by the enum; their sum is the number of calls. */
	uint64_t ends[SPROF_ACTIVATION_ENDS];
	struct sprof_histogram whole; /* durations of the calls that returned */
	/* Over calls with a known duration, including CUT and OPEN ones. A call nested in another
	 * call of the same row is not added twice, so the total never exceeds the elapsed time. */
	uint64_t total_ns;
	uint64_t self_ns;  /* total_ns minus the time in watched callees */
	uint64_t nested;   /* calls that began inside another call of the same function */
	uint32_t deepest;  /* deepest recursion; 1: not recursive */
	uint64_t unpaired; /* returns without a start; only in rows with caller ANY */
	uint32_t threads;  /* with calls in this row; 0: not known */
};

/* One call. The list is in order of begin times. */
struct sprof_activation {
	uint32_t thread, function;
	uint32_t caller; /* index of the calling call in the list; NONE */
	enum sprof_activation_end end;
	uint64_t begin_ns;
	/* duration unknown: when the call was last known to be running */
	uint64_t end_ns;
};

/* A call that begins or ends. */
struct sprof_activation_call {
	uint32_t function;
	uint64_t sp;  /* the stack pointer at its start */
	uint32_t tag; /* passed to `ended`; 0: do not report */
	enum sprof_stack_kind kind;
	bool is_kernels; /* the kernel's own call: a forked child does not inherit it */
};

/* Zeroed is empty and valid, and keeps no calls. */
struct sprof_activation_books {
	uint64_t weight; /* each call counts as that many */
	bool by_thread;  /* each thread has separate rows */
	size_t limit;    /* of calls that are kept */
	/* Called for each call with a tag, once its end is known. May be NULL. */
	void (*ended)(void *data, uint32_t tag, enum sprof_activation_end end);
	void *data;

	struct sprof_activation_row *rows;
	size_t row_count, row_capacity;
	struct sprof_idmap index;
	struct sprof_activation *calls;
	size_t call_count, call_capacity;
	uint64_t dropped; /* calls beyond the limit */
};

/* Finds or adds the row. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_activation_books_row(struct sprof_activation_books *books,
	uint32_t thread, uint32_t function, uint32_t caller, uint32_t *ret_row);

/*
 * Adds a call to the list and returns its index, or NONE if the list is full. Returns false if out
 * of memory.
 */
SPROF_MUST_USE bool sprof_activation_books_keep(struct sprof_activation_books *books,
	const struct sprof_activation *call, uint32_t *ret_call);

/* Whether a call that ended this way has a known duration. */
bool sprof_activation_is_timed(enum sprof_activation_end end);

uint64_t sprof_activation_row_calls(const struct sprof_activation_row *row);

void sprof_activation_books_finish(struct sprof_activation_books *books);
