/*
 * The summary as data: the programs that used noticeable time, and where most of each one's time
 * went.
 *
 * All figures are of busy time: wall time without idle time (profile/classify/idle.h) and without
 * time that no sample covers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/answer/short-threads.h"
#include "profile/model/profile.h"
#include "profile/model/program.h"
#include "profile/views/waits.h"

/* One class of a program's time, and where most of it is. */
struct sprof_cause {
	enum sprof_weight weight; /* USER, SYS, RUNQ or WAIT */
	uint64_t ns;
	/* the function with most of it (profile/answer/program-functions.h); NONE: no such time */
	uint32_t function;
	uint64_t function_ns;
	double samples; /* of the cause */
	/* the library's function that most of its time was in, and that time; NONE: none */
	uint32_t inner;
	uint64_t inner_ns;
	/*
	 * SYS: the system call, or page faults, by which the function mostly enters the kernel;
	 * NULL: none
	 */
	const char *kernel;
	bool in_faults;
	struct sprof_waits_row wait; /* WAIT: the most informative wait; ns 0: none */
};

enum { SPROF_CAUSES = 4 };

/* All processes that run the same program. */
struct sprof_program {
	char name[SPROF_PROGRAM_NAME];
	pid_t pid; /* of the busiest one */
	uint32_t processes;
	uint32_t number; /* in order of first appearance */
	struct sprof_times busy;
	uint64_t idle_ns, unsampled_ns;
	uint64_t samples; /* busy time */
	/* threads in a deadlock, and threads that wait for these (profile/answer/deadlocks.h) */
	uint32_t locked, behind;
	struct sprof_short_threads short_threads; /* only for explained programs */
	/* by time, descending, naps by a quarter of it, RUNQ last; only for explained ones */
	struct sprof_cause causes[SPROF_CAUSES];
};

struct sprof_answer {
	struct sprof_program *programs; /* by busy time, descending */
	size_t count;
	/* number of programs at the front with noticeable busy time; 0: all are idle */
	size_t mattering;
	bool *left_out; /* by row of the profile: true if not busy */
	struct sprof_times busy;
	uint64_t idle_ns, unsampled_ns;
	uint64_t samples; /* total busy time */
};

/*
 * Finds the causes for the first `explained` programs. Locations and waits must be named. Returns
 * false if out of memory. The caller finishes *ret.
 */
SPROF_MUST_USE bool sprof_answer_build(const struct sprof_profile *profile, size_t explained,
	struct sprof_answer *ret, struct sprof_error *err);
void sprof_answer_finish(struct sprof_answer *answer);
