/*
 * Works for some CPU time, then executes itself; so often. Usage: exec-work ROUNDS MS, with MS of CPU
 * time in long_work() in each even round, and a third of that in short_work() in each odd one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

static volatile uint64_t sink;

static inline void use_cpu(uint64_t ns)
{
	struct timespec now;

	do {
		for (int i = 0; i < 2000; i++)
			sink = sink * 6364136223846793005u + 1;
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	} while ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec < ns);
}

static MEASURED void long_work(uint64_t ns)
{
	use_cpu(ns);
}

static MEASURED void short_work(uint64_t ns)
{
	use_cpu(ns);
}

int main(int argc, char *argv[])
{
	int rounds = argc > 2 ? atoi(argv[1]) : 0;
	uint64_t ns = argc > 2 ? (uint64_t)atoi(argv[2]) * 1000000u : 0;
	struct timespec begin;
	char rest[16];

	/* The thread keeps its CPU clock over an exec. */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	ns = rounds % 2 ? ns / 3 : ns;
	ns += (uint64_t)begin.tv_sec * 1000000000u + (uint64_t)begin.tv_nsec;
	if (rounds % 2)
		short_work(ns);
	else
		long_work(ns);
	snprintf(rest, sizeof(rest), "%d", rounds - 1);
	if (rounds > 1)
		execl("/proc/self/exe", argv[0], rest, argv[2], (char *)NULL);
	return 0;
}
