/*
 * A function that takes at least 300 us by the monotonic clock each time: `lasting CALLS THREADS`.
 */
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "tests/targets/target.h"

enum { LENGTH_NS = 300000, MOST_THREADS = 16 };

static long calls;

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

__attribute__((noinline)) static void last(void)
{
	const uint64_t end_ns = now_ns() + LENGTH_NS;

	while (now_ns() < end_ns)
		;
}

static void *call(void *unused)
{
	for (long i = 0; i < calls; i++)
		last();
	return unused;
}

int main(int argc, char **argv)
{
	const long count = target_number(argc, argv, 2, 1);
	pthread_t threads[MOST_THREADS];

	calls = target_number(argc, argv, 1, 10);
	if (count > MOST_THREADS)
		target_fail("threads");
	for (long i = 0; i < count; i++) {
		if (pthread_create(&threads[i], NULL, call, NULL))
			target_fail("pthread_create");
	}
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
