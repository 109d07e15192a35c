/*
 * What blocked threads waited for, and who held them up: derived from the rows and read-only. Every
 * location and every wait must be named.
 */
#ifndef SPROF_PROFILE_WAITS_H
#define SPROF_PROFILE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/view.h"

/*
 * One (system call, object, innermost function outside of libc); for a lock in a process's own
 * memory also the process. Times are of blocked threads.
 */
struct sprof_waits_row {
	const char *syscall; /* NULL: none, or not known */
	const char *object;  /* NULL: nothing to say */
	enum sprof_wait_kind kind;
	uint32_t function; /* SPROF_PROFILE_NONE: not known */
	/* the lock's; SPROF_PROFILE_NONE: no lock, or shared by several processes */
	uint32_t process;
	uint32_t threads;
	uint32_t alike; /* how many objects it stands for: 1, except for joined children */
	uint64_t ns, samples;
	/* exact waits; 0: only ticks tell */
	uint64_t waits, longest_ns;
	/*
	 * The longest holder of the lock; and where it was meanwhile, if most samples of the lock's
	 * holders were there. NULL: no lock, or unknown.
	 */
	const char *holder, *holder_function;
	uint64_t holder_ns; /* of that thread, at all its places */
	bool is_join;       /* the holder is a thread being joined */
};

/* Threads in `function` waited for `object`. Its holder was in `holder_function`. */
struct sprof_waits_edge {
	uint32_t row;
	const char *holder, *holder_function; /* holder_function NULL: not known */
	uint64_t ns, samples;
};

struct sprof_waits_table {
	struct sprof_waits_row *rows; /* by time, falling */
	size_t count;
	struct sprof_waits_edge *edges; /* by time, falling */
	size_t edge_count;
	uint64_t blocked_ns, wall_ns; /* of the whole view */
	bool is_exact;                /* the rows have the number of waits, and the longest */
};

/* Fills *ret; the caller finishes it. False: no memory. */
SPROF_MUST_USE bool sprof_waits_table_build(const struct sprof_profile *profile,
	const struct sprof_view *view, struct sprof_waits_table *ret, struct sprof_error *err);
void sprof_waits_table_finish(struct sprof_waits_table *waits);

#endif
