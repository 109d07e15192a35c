/*
 * Asks for the time until stdin closes: most of its samples lie in the vDSO, which is in no file.
 */
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

static volatile long sink;

static MEASURED void ask_for_the_time(void)
{
	struct timespec now;

	for (int i = 0; i < 200000; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sink += now.tv_nsec;
	}
}

int main(int argc, char *argv[])
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	target_init(&argc, argv);
	target_ready("%d", (int)getpid());
	while (poll(&in, 1, 0) == 0)
		ask_for_the_time();
	return 0;
}
