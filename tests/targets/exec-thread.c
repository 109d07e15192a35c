/*
 * A thread that is not the leader executes the program anew when a line comes on stdin, while the
 * leader and another thread sleep. Says before and after who it is: process and thread id.
 */
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define CODE_AFTER 6

static char after_word[] = "after";

static MEASURED void *execute(void *program)
{
	char *argv[] = {program, after_word, NULL};
	char line[16];

	target_print("thread %d", (int)gettid());
	if (target_read_line(line, sizeof(line)))
		execv("/proc/self/exe", argv);
	_exit(98);
}

static MEASURED void *sleep_on(void *unused)
{
	for (;;)
		pause();
	return unused;
}

int main(int argc, char *argv[])
{
	pthread_t executing, sleeping;

	target_init(&argc, argv);
	target_ready("%d", (int)getpid());
	if (argc > 1 && strcmp(argv[1], after_word) == 0) {
		target_wait_for_end();
		return CODE_AFTER;
	}
	if (pthread_create(&sleeping, NULL, sleep_on, NULL) != 0 ||
		pthread_create(&executing, NULL, execute, argv[0]) != 0)
		target_fail("pthread_create");
	pthread_join(executing, NULL);
	return 1;
}
