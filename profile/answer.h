/*
 * The answer in facts: which programs mattered, and where most of the time of each went.
 *
 * Idle time (profile/idle.h) and time without a sample near it are not counted: all figures are of
 * busy time, the rest of the wall time.
 */
#ifndef SPROF_PROFILE_ANSWER_H
#define SPROF_PROFILE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/profile.h"
#include "profile/program.h"
#include "profile/short-threads.h"
#include "profile/waits.h"

/* A class of a program's time, and where most of it is. */
struct sprof_cause {
	enum sprof_weight weight; /* USER, SYS, RUNQ or WAIT */
	uint64_t ns;
	uint32_t function; /* has most of it (profile/own.h); NONE: there is no such time */
	uint64_t function_ns;
	double samples, function_samples; /* of the cause's time, and of its function's */
	/* where the program called it most, if it is a library's; NONE: not known, or it is its own */
	uint32_t caller;
	uint64_t caller_ns;
	/* SYS: the function enters the kernel mostly for that call, or by page faults; NULL: no call */
	const char *kernel;
	bool in_faults;
	struct sprof_waits_row wait; /* WAIT: the most telling wait; ns 0: none */
};

enum { SPROF_CAUSES = 4 };

/* The processes that run the same program. */
struct sprof_program {
	char name[SPROF_PROGRAM_NAME];
	pid_t pid; /* of the busiest one */
	uint32_t processes;
	uint32_t number; /* in order of discovery */
	struct sprof_times busy;
	uint64_t idle_ns, unsampled_ns;
	uint64_t samples;                         /* of busy time */
	struct sprof_short_threads short_threads; /* only of the explained programs */
	struct sprof_cause
		causes[SPROF_CAUSES]; /* by time, falling; only of the explained programs */
};

struct sprof_answer {
	struct sprof_program *programs; /* by busy time, falling */
	size_t count;
	/* the first programs with a busy time that matters; 0: all are idle */
	size_t mattering;
	bool *left_out; /* by row of the profile: not busy */
	struct sprof_times busy;
	uint64_t idle_ns, unsampled_ns;
	uint64_t samples; /* of busy time */
};

/*
 * Finds the causes of the first `explained` programs. Every location and wait must be named. False:
 * no memory. The caller finishes *ret.
 */
SPROF_MUST_USE bool sprof_answer_build(const struct sprof_profile *profile, size_t explained,
	struct sprof_answer *ret, struct sprof_error *err);
void sprof_answer_finish(struct sprof_answer *answer);

#endif
