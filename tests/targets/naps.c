/*
 * Waits of known number and length: `naps THREADS COUNT [TRIPS]`. Each thread sleeps COUNT times for 200 us in one function, and
 * after each twentieth time for 5 ms in another one. Another pair hands a byte to and fro by
 * pipes, TRIPS times. At the end one line of JSON has, by thread id, how often it slept in each function, and for how long by
 * the clock around each sleep, in ns.
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { SHORT_NS = 200 * 1000, LONG_NS = 5 * 1000 * 1000, LONG_EVERY = 20, MOST_THREADS = 64 };

struct naps {
	long count;
	uint64_t ns;
};

struct napper {
	pthread_t thread;
	long tid, count;
	struct naps shorts, longs;
};

static int there[2], back[2];

static MEASURED void short_nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = SHORT_NS}, NULL);
}

static MEASURED void long_nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = LONG_NS}, NULL);
}

static MEASURED bool take_byte(int fd)
{
	char byte;

	return read(fd, &byte, 1) == 1;
}

static MEASURED void give_byte(int fd)
{
	if (write(fd, "x", 1) != 1)
		target_fail("write");
}

/* How often the calling thread gave up its CPU by itself (getrusage(2)). */
static long times_given_up(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

static void take(void (*nap)(void), struct naps *naps)
{
	const long given_up = times_given_up();
	const uint64_t begin_ns = target_now_ns();

	nap();
	naps->ns += target_now_ns() - begin_ns;
	naps->count += times_given_up() != given_up;
}

static void *sleep_often(void *data)
{
	struct napper *napper = data;

	napper->tid = syscall(SYS_gettid);
	for (long i = 0; i < napper->count; i++) {
		take(short_nap, &napper->shorts);
		if (i % LONG_EVERY == 0)
			take(long_nap, &napper->longs);
	}
	return NULL;
}

static void *answer(void *data)
{
	while (take_byte(there[0]))
		give_byte(back[1]);
	return NULL;
}

static void hand_to_and_fro(long count)
{
	pthread_t other;

	if (pipe(there) || pipe(back) || pthread_create(&other, NULL, answer, NULL))
		target_fail("pipe");
	for (long i = 0; i < count; i++) {
		give_byte(there[1]);
		if (!take_byte(back[0]))
			target_fail("read");
	}
	close(there[1]);
	pthread_join(other, NULL);
}

int main(int argc, char *argv[])
{
	static struct napper nappers[MOST_THREADS];
	long threads, count;

	target_init(&argc, argv);
	threads = target_number(argc, argv, 1, 1) % (MOST_THREADS + 1);
	count = target_number(argc, argv, 2, 100);
	for (long i = 0; i < threads; i++) {
		nappers[i].count = count;
		if (pthread_create(&nappers[i].thread, NULL, sleep_often, &nappers[i]))
			target_fail("pthread_create");
	}
	hand_to_and_fro(target_number(argc, argv, 3, 50));
	for (long i = 0; i < threads; i++)
		pthread_join(nappers[i].thread, NULL);
	for (long i = 0; i < threads; i++)
		target_print(
			"%s\"%ld\": {\"short\": %ld, \"short_ns\": %llu, \"long\": %ld, \"long_ns\": %llu}%s\n",
			i ? "" : "{", nappers[i].tid, nappers[i].shorts.count,
			(unsigned long long)nappers[i].shorts.ns, nappers[i].longs.count,
			(unsigned long long)nappers[i].longs.ns, i + 1 < threads ? "," : "}");
	return 0;
}
