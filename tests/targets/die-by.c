/*
 * Dies by the signal whose number it is told; "fault" is a SIGSEGV that the hardware raised, not
 * kill(2). With a second argument "thread" a thread that is not the main one does it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/targets/target.h"

static int *volatile nowhere;

static MEASURED void *die(void *how)
{
	const char *signal_number = how;

	if (strcmp(signal_number, "fault") == 0)
		*nowhere = 1;
	kill(getpid(), atoi(signal_number));
	for (;;)
		pause();
	return NULL;
}

int main(int argc, char *argv[])
{
	const struct rlimit no_core = {0, 0};
	pthread_t thread;

	target_init(&argc, argv);
	if (argc < 2)
		return 2;
	setrlimit(RLIMIT_CORE, &no_core);
	target_ready("%s", argv[1]);
	if (argc < 3 || strcmp(argv[2], "thread") != 0)
		die(argv[1]);
	if (pthread_create(&thread, NULL, die, argv[1]) != 0)
		target_fail("pthread_create");
	pthread_join(thread, NULL);
	return 3;
}
