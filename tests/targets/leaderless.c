/*
 * A program whose main thread ends at once, while others go on: one computes in inner_work() called by
 * outer_work(), one sleeps in sleep_here(). They say "ready" when the main thread is a zombie, and end
 * the process when stdin closes.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/targets/target.h"

static volatile uint64_t sink;

static MEASURED void inner_work(void)
{
	for (long i = 0; i < 100000; i++)
		sink = sink * 6364136223846793005u + 1;
}

static MEASURED void outer_work(void)
{
	for (int i = 0; i < 10; i++)
		inner_work();
	sink++;
}

static MEASURED void *work_on(void *unused)
{
	for (;;)
		outer_work();
	return unused;
}

static bool has_leader_ended(void)
{
	char path[64], text[512] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)getpid());
	file = fopen(path, "re");
	if (!file || !fgets(text, sizeof(text), file) || !strrchr(text, ')'))
		target_fail("stat");
	fclose(file);
	return strrchr(text, ')')[2] == 'Z';
}

static pthread_t leader;

static MEASURED void *sleep_here(void *unused)
{
	/* The last step of its end is announced to nobody. */
	pthread_join(leader, NULL);
	while (!has_leader_ended())
		sched_yield();
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	exit(0);
	return unused;
}

int main(int argc, char *argv[])
{
	pthread_t working, sleeping;

	target_init(&argc, argv);
	leader = pthread_self();
	if (pthread_create(&working, NULL, work_on, NULL) != 0 ||
		pthread_create(&sleeping, NULL, sleep_here, NULL) != 0)
		target_fail("pthread_create");
	pthread_exit(NULL);
}
