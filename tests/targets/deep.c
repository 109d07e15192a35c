/*
 * A recursion DEPTH deep; at its bottom it is ready and spins, or sleeps with a second argument
 * "sleep", until stdin closes. The result depends on every level, so no level can be left out.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/targets/target.h"

static volatile uint64_t sink;
static bool asleep;

static MEASURED void bottom_spin(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	while (poll(&in, 1, 0) == 0) {
		for (int i = 0; i < 1000000; i++)
			sink = sink * 6364136223846793005u + 1;
	}
}

static MEASURED void bottom_sleep(void)
{
	target_wait_for_end();
}

static MEASURED long descend(long levels)
{
	if (levels > 1)
		return descend(levels - 1) + levels;
	target_ready("%d", (int)getpid());
	if (asleep)
		bottom_sleep();
	else
		bottom_spin();
	return 1;
}

static void *run(void *levels)
{
	sink = (uint64_t)descend((long)(intptr_t)levels);
	return NULL;
}

/* On a thread, whose stack may be as large as the recursion asks for. */
int main(int argc, char *argv[])
{
	pthread_attr_t attr;
	pthread_t thread;
	long depth;

	target_init(&argc, argv);
	depth = target_number(argc, argv, 1, 100);
	asleep = argc > 2 && strcmp(argv[2], "sleep") == 0;
	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, (size_t)depth * 256 + (1 << 20)) != 0 ||
		pthread_create(&thread, &attr, run, (void *)(intptr_t)depth) != 0)
		target_fail("a thread with that stack");
	pthread_join(thread, NULL);
	return sink == (uint64_t)depth * (uint64_t)(depth + 1) / 2 ? 0 : 1;
}
