/*
 * The answer in facts: which programs mattered, and what the most of each one's time went into.
 *
 * Idle time (profile/idle.h) and time that no sample fell near are not counted: all figures are of busy
 * time, the rest of the wall time.
 */
#ifndef SPROF_PROFILE_ANSWER_H
#define SPROF_PROFILE_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "profile/profile.h"
#include "profile/waits.h"

/* A class of a program's time, and where the most of it is. */
struct sprof_cause {
	enum sprof_weight weight; /* USER, SYS, RUNQ or WAIT */
	uint64_t ns;
	uint32_t function; /* whose most of it is (profile/own.h); NONE: there is no such time */
	uint64_t function_ns;
	const char *kernel; /* SYS: the innermost function of the most of that; NULL: none */
	struct sprof_waits_row wait; /* WAIT: the most telling; ns is 0: there is none */
};

enum {
	SPROF_CAUSES = 4
};

/* The processes that run the same program. */
struct sprof_program {
	char name[32]; /* without its folder; cut off where it is longer; not cleaned */
	pid_t pid;     /* of the busiest one */
	uint32_t processes;
	uint32_t number; /* in the order in which they were found */
	struct sprof_times busy;
	uint64_t idle_ns, unsampled_ns;
	uint64_t samples; /* of busy time */
	struct sprof_cause causes[SPROF_CAUSES]; /* by time, falling; only of those asked for */
};

struct sprof_answer {
	struct sprof_program *programs; /* by busy time, falling */
	size_t count;
	size_t mattering; /* how many of the first have a part of the busy time that matters; 0: all are idle */
	bool *left_out; /* by row of the profile: not busy */
	struct sprof_times busy;
	uint64_t idle_ns, unsampled_ns;
	uint64_t samples; /* of busy time */
};

/*
 * Finds the causes of the first `explained` programs. Every location and wait is named. False: no memory.
 * *ret is to be finished.
 */
bool sprof_answer_build(const struct sprof_profile *profile, size_t explained,
	struct sprof_answer *ret, struct sprof_error *err);
void sprof_answer_finish(struct sprof_answer *answer);

#endif
