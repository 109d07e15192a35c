/*
 * Dies by the signal whose number it is told; "fault" is a SIGSEGV that the hardware raised, not
 * kill(2); "exit" is an exit(11). With a second argument "thread" a thread that is not the main one does it, with "last"
 * when the main one has ended.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/targets/target.h"

static int *volatile nowhere;
static pthread_t leader;

static MEASURED void *die(void *how)
{
	const char *signal_number = how;

	if (strcmp(signal_number, "exit") == 0)
		exit(11);
	if (strcmp(signal_number, "fault") == 0)
		*nowhere = 1;
	kill(getpid(), atoi(signal_number));
	for (;;)
		pause();
	return NULL;
}

static void *die_last(void *how)
{
	pthread_join(leader, NULL);
	return die(how);
}

int main(int argc, char *argv[])
{
	const struct rlimit no_core = {0, 0};
	pthread_t thread;
	bool is_last;

	target_init(&argc, argv);
	if (argc < 2)
		return 2;
	setrlimit(RLIMIT_CORE, &no_core);
	target_ready("%s", argv[1]);
	if (argc < 3)
		die(argv[1]);
	is_last = strcmp(argv[2], "last") == 0;
	leader = pthread_self();
	if (pthread_create(&thread, NULL, is_last ? die_last : die, argv[1]) != 0)
		target_fail("pthread_create");
	if (is_last)
		pthread_exit(NULL);
	pthread_join(thread, NULL);
	return 3;
}
