/*
 * What is counted of calls of functions: one row for each function, and one for each caller of it, of
 * each thread if wanted; and the first calls one by one.
 */
#ifndef SPROF_EVENTS_ACTIVATION_BOOKS_H
#define SPROF_EVENTS_ACTIVATION_BOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/histogram.h"
#include "base/idmap.h"

#define SPROF_ACTIVATION_ANY UINT32_MAX        /* of all callers, or of all threads */
#define SPROF_ACTIVATION_ROOT (UINT32_MAX - 1) /* no watched function has called it */
#define SPROF_ACTIVATION_NONE UINT32_MAX       /* a call that is not kept */

/* How a call ended, as far as it is known. */
enum sprof_activation_end {
	SPROF_ACTIVATION_RETURNED,
	SPROF_ACTIVATION_CUT,  /* its thread ended, or the process ran another program */
	SPROF_ACTIVATION_OPEN, /* it was under way at the end */
	SPROF_ACTIVATION_EDGE, /* it was under way when a window ended */
	/* Their time is not known. */
	SPROF_ACTIVATION_LEFT,    /* by longjmp, an exception: it did not return */
	SPROF_ACTIVATION_LOST,    /* records were lost while it was under way */
	SPROF_ACTIVATION_COUNTED, /* the source tells nothing of returns */
	SPROF_ACTIVATION_ENDS,
};

/* Threads and functions are those of the events. Times in ns. */
struct sprof_activation_row {
	uint32_t thread; /* ANY: of all */
	uint32_t function;
	uint32_t caller; /* ANY: the row of the function itself; ROOT */
	/* In the order of the enum; their sum is the number of calls. */
	uint64_t ends[SPROF_ACTIVATION_ENDS];
	struct sprof_histogram whole; /* times of the calls that returned */
	/* Of the calls whose time is known, also cut and open ones. What is nested in another call
	 * of the same row is in that call's time: so the total is at most the time that passed. */
	uint64_t total_ns;
	uint64_t self_ns; /* without the time in watched functions that they called */
	uint64_t nested;  /* calls that began inside another call of the same function */
	uint32_t deepest; /* calls of the function within each other; 1: no recursion */
	uint64_t
		unpaired; /* returns of calls that were not seen to begin; only where caller is ANY */
};

/* One call. Calls are in the order of their begins. */
struct sprof_activation {
	uint32_t thread, function;
	uint32_t caller; /* the kept call that it was made from; NONE */
	enum sprof_activation_end end;
	uint64_t begin_ns;
	/* if its time is not known: when it was last seen to be under way */
	uint64_t end_ns;
};

/* A call that begins or ends. */
struct sprof_activation_call {
	uint32_t function;
	uint64_t sp;     /* the stack pointer at its begin */
	uint32_t tag;    /* for `ended`; 0: it is not told */
	bool is_kernels; /* no child is born inside of it */
};

/* Zeroed is empty and valid, and keeps no calls. */
struct sprof_activation_books {
	bool by_thread; /* each thread has rows of its own */
	size_t limit;   /* of calls that are kept */
	/* Each call that has a tag, as soon as it is known to be over. NULL: nobody wants to know. */
	void (*ended)(void *data, uint32_t tag, enum sprof_activation_end end);
	void *data;

	struct sprof_activation_row *rows;
	size_t row_count, row_capacity;
	struct sprof_idmap index;
	struct sprof_activation *calls;
	size_t call_count, call_capacity;
	uint64_t dropped; /* calls beyond the limit */
};

/* The number of the row. False: no memory. */
SPROF_MUST_USE bool sprof_activation_books_row(struct sprof_activation_books *books,
	uint32_t thread, uint32_t function, uint32_t caller, uint32_t *ret_row);

/* Keeps a call that begins, if there is room: its number, or NONE. False: no memory. */
SPROF_MUST_USE bool sprof_activation_books_keep(struct sprof_activation_books *books,
	const struct sprof_activation *call, uint32_t *ret_call);

/* Whether the time of such a call is known. */
bool sprof_activation_is_timed(enum sprof_activation_end end);

uint64_t sprof_activation_row_calls(const struct sprof_activation_row *row);

void sprof_activation_books_finish(struct sprof_activation_books *books);

#endif
