/*
 * A storm of short lives until stdin closes, at most PARALLEL at a time: threads that each add one to a
 * sum; or, called with "processes", processes that each do so by their exit code. Called with a number, so
 * many threads besides, each of which waits for a child of vfork most of the time. Prints how many were
 * made and what the sum is.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define PARALLEL 8

static atomic_ulong sum;

static MEASURED void *short_life(void *unused)
{
	atomic_fetch_add(&sum, 1);
	return unused;
}

static MEASURED void *wait_for_children(void *unused)
{
	const struct timespec second = {.tv_sec = 1};
	volatile unsigned long rounds;

	for (;;) {
		pid_t child;

		for (rounds = 0; rounds < 300000; rounds++)
			;
		child = vfork();
		if (child == 0) {
			nanosleep(&second, NULL);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return unused;
}

static void start_waiting(long count)
{
	pthread_t thread;

	for (long i = 0; i < count; i++) {
		if (pthread_create(&thread, NULL, wait_for_children, NULL) != 0)
			target_fail("pthread_create");
	}
}

static bool told_to_end(void)
{
	struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&in, 1, 0) > 0;
}

static MEASURED unsigned long gust(void)
{
	pthread_t threads[PARALLEL];

	for (int i = 0; i < PARALLEL; i++) {
		if (pthread_create(&threads[i], NULL, short_life, NULL) != 0)
			target_fail("pthread_create");
	}
	for (int i = 0; i < PARALLEL; i++)
		pthread_join(threads[i], NULL);
	return PARALLEL;
}

static MEASURED _Noreturn void short_process(void)
{
	_exit(1);
}

static MEASURED unsigned long gust_of_processes(void)
{
	int status;

	for (int i = 0; i < PARALLEL; i++) {
		pid_t child = fork();

		if (child < 0)
			target_fail("fork");
		if (child == 0)
			short_process();
	}
	while (wait(&status) > 0)
		atomic_fetch_add(&sum, (unsigned long)WEXITSTATUS(status));
	return PARALLEL;
}

int main(int argc, char *argv[])
{
	unsigned long created = 0;
	bool processes;

	target_init(&argc, argv);
	processes = argc > 1 && strcmp(argv[1], "processes") == 0;
	start_waiting(target_number(argc, argv, 1, 0));
	target_ready("%d", (int)getpid());
	while (!told_to_end())
		created += processes ? gust_of_processes() : gust();
	target_print("created %lu sum %lu", created, atomic_load(&sum));
	return created == atomic_load(&sum) ? 0 : 1;
}
