/*
 * What blocked threads waited for, and who held them up: derived from the rows and read-only.
 * Every location and every wait is named.
 */
#ifndef SPROF_PROFILE_WAITS_H
#define SPROF_PROFILE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "profile/view.h"

/* One (system call, object, innermost function outside of libc); of a lock in a process's own memory
 * also the process. Times are of blocked threads. */
struct sprof_waits_row {
	const char *syscall; /* NULL: none, or not known */
	const char *object;  /* NULL: nothing to say */
	enum sprof_wait_kind kind;
	uint32_t function; /* SPROF_PROFILE_NONE: not known */
	uint32_t process;  /* whose lock it is; SPROF_PROFILE_NONE: no lock, or one of several processes */
	uint32_t threads;
	uint32_t alike; /* how many objects it stands for: 1, but for joined children */
	uint64_t ns, samples;
	/* Who held the lock the longest, and where that was most of the time; NULL: no lock, or nobody
	 * known. */
	const char *holder, *holder_function;
	uint64_t holder_ns; /* of that thread, wherever it was */
	bool is_join; /* the holder is a thread whose end is waited for */
};

/* Threads in `function` waited for `object`, which a thread had that was in `holder_function`. */
struct sprof_waits_edge {
	uint32_t row;
	const char *holder, *holder_function; /* the latter NULL: not known */
	uint64_t ns, samples;
};

struct sprof_waits_table {
	struct sprof_waits_row *rows; /* by time, falling */
	size_t count;
	struct sprof_waits_edge *edges; /* the same */
	size_t edge_count;
	uint64_t blocked_ns, wall_ns; /* of the whole view */
};

/* Fills *ret, to be finished. False: no memory. */
bool sprof_waits_table_build(const struct sprof_profile *profile, const struct sprof_view *view,
	struct sprof_waits_table *ret, struct sprof_error *err);
void sprof_waits_table_finish(struct sprof_waits_table *waits);

#endif
