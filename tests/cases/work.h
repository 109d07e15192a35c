/* A program computes for a fixed CPU time, so that each of its functions has a sample. */

#pragma once

#include <stdbool.h>
#include <time.h>

#define WORK_NS 200000000LL

static inline bool has_work(void)
{
	struct timespec used;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	return used.tv_sec * 1000000000LL + used.tv_nsec < WORK_NS;
}
