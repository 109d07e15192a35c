/*
 * Computes in spin() for so many milliseconds (the first argument), or naps for so many microseconds (the
 * second one) between short computations. Then it says what the kernel has counted of it: "CPU RUNQ VOLUNTARY", in
 * ns and switches, and how long it was there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "tests/targets/target.h"

static volatile uint64_t sink;

static MEASURED void spin(void)
{
	for (int i = 0; i < 100000; i++)
		sink++;
}

static MEASURED void nap(long us)
{
	nanosleep(&(struct timespec){.tv_nsec = us * 1000}, NULL);
	for (int i = 0; i < 1000; i++)
		sink++;
}

int main(int argc, char *argv[])
{
	uint64_t begin = target_now_ns(), end;
	unsigned long cpu, runq;
	struct rusage usage;
	long us;
	FILE *file;

	target_init(&argc, argv);
	end = begin + (uint64_t)target_number(argc, argv, 1, 1000) * 1000000;
	us = target_number(argc, argv, 2, 0);
	prctl(PR_SET_TIMERSLACK, 1);
	while (target_now_ns() < end) {
		if (us)
			nap(us);
		else
			spin();
	}
	file = fopen("/proc/self/schedstat", "re");
	if (!file || fscanf(file, "%lu %lu", &cpu, &runq) != 2 || getrusage(RUSAGE_SELF, &usage))
		target_fail("/proc/self/schedstat");
	fclose(file);
	target_print("%lu %lu %ld %llu\n", cpu, runq, usage.ru_nvcsw,
		(unsigned long long)(target_now_ns() - begin));
	return 0;
}
