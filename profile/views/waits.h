/*
 * What blocked threads waited for, and which threads held them up: a read-only view of the rows.
 * Locations and waits must be named.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/views/view.h"

/*
 * Keyed by system call, object, and the program's own function (profile/classify/own-place.h); for
 * a lock in private memory also by process. Times are blocked time.
 */
struct sprof_waits_row {
	const char *syscall; /* NULL: none or unknown */
	const char *object;  /* NULL: unknown */
	enum sprof_wait_kind kind;
	uint32_t function; /* SPROF_PROFILE_NONE: unknown */
	/* of the lock; SPROF_PROFILE_NONE: no lock, or shared by several processes */
	uint32_t process;
	uint32_t threads;
	uint32_t alike; /* number of objects in this row: 1, except for those that the view joins */
	uint64_t ns, samples;
	/* number and longest of the exact waits; 0: known by ticks only */
	uint64_t waits, longest_ns;
	/*
	 * The thread that held the lock longest; and its function meanwhile, if most samples of the
	 * lock's holders were there. NULL: no lock, or unknown.
	 */
	const char *holder, *holder_function;
	uint64_t holder_ns; /* time held by that thread, in all its functions */
	bool is_join;       /* the holder is a thread being joined */
};

/* Threads in `function` waited for `object` while its holder was in `holder_function`. */
struct sprof_waits_edge {
	uint32_t row;
	const char *holder, *holder_function; /* holder_function NULL: unknown */
	uint64_t ns, samples;
};

struct sprof_waits_table {
	struct sprof_waits_row *rows; /* by time, descending */
	size_t count;
	struct sprof_waits_edge *edges; /* by time, descending */
	size_t edge_count;
	uint64_t blocked_ns, wall_ns; /* over the whole view */
	bool is_exact;                /* rows have number and maximum of waits */
};

/* Fills *ret; the caller finishes it. Returns false if out of memory. */
SPROF_MUST_USE bool sprof_waits_table_build(const struct sprof_profile *profile,
	const struct sprof_view *view, struct sprof_waits_table *ret, struct sprof_error *err);
void sprof_waits_table_finish(struct sprof_waits_table *waits);
