/*
 * A process that others of its user may not attach to, as it asked for by PR_SET_DUMPABLE 0. With a number of
 * seconds it has a thread that computes so long, and one that sleeps.
 */
#include <pthread.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/targets/target.h"

static volatile uint64_t sink;

static MEASURED void burn(uint64_t end_ns)
{
	while (target_now_ns() < end_ns) {
		uint64_t x = sink;

		for (int i = 0; i < 100000; i++)
			x = x * 6364136223846793005u + 1;
		sink = x;
	}
}

static void *nap(void *data)
{
	for (;;)
		usleep(100 * 1000);
	return data;
}

static void work(long seconds)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, nap, NULL))
		target_fail("pthread_create");
	burn(target_now_ns() + (uint64_t)seconds * 1000000000);
}

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		target_fail("PR_SET_DUMPABLE");
	target_ready("%d", (int)getpid());
	if (argc > 1)
		work(target_number(argc, argv, 1, 0));
	else
		target_wait_for_end();
	return 0;
}
