/*
 * Executes itself again and again, each time by a thread that is not the leader, while many others
 * sleep; until stdin closes. Says "ready" once, as what it was at first.
 */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define SLEEPERS 60
#define LONGEST_US 2000

static char again_word[] = "again";

static MEASURED void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* Not longer than that, and of another length each time. */
static int wait_for_end(void)
{
	const struct timespec nap = {.tv_nsec = (long)(target_now_ns() / 7 % LONGEST_US) * 1000};
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return ppoll(&in, 1, &nap, NULL);
}

static MEASURED void *execute(void *program)
{
	char *argv[] = {program, again_word, NULL};

	if (wait_for_end() == 0)
		execv("/proc/self/exe", argv);
	_exit(0);
}

static void start(void *(*body)(void *unused), void *data)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, body, data) != 0)
		target_fail("pthread_create");
}

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	if (argc < 2 || strcmp(argv[1], again_word) != 0)
		target_ready("%d", (int)getpid());
	for (int i = 0; i < SLEEPERS; i++)
		start(sleep_on, NULL);
	start(execute, argv[0]);
	sleep_on(NULL);
}
