/*
 * Stops itself by SIGSTOP once it is ready, says "continued" when somebody lets it go on, and ends
 * when stdin closes. Its second thread counts: when the process is stopped, the count that "count"
 * on stdin asks for stands still.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

static atomic_ulong counted;

static MEASURED void *count_on(void *unused)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (;;) {
		nanosleep(&nap, NULL);
		atomic_fetch_add(&counted, 1);
	}
	return unused;
}

int main(int argc, char *argv[])
{
	char line[64];
	pthread_t thread;

	target_init(&argc, argv);
	if (pthread_create(&thread, NULL, count_on, NULL) != 0)
		target_fail("pthread_create");
	while (atomic_load(&counted) == 0)
		sched_yield();
	target_ready("%d", (int)getpid());
	raise(SIGSTOP);
	target_print("continued");
	while (target_read_line(line, sizeof(line)))
		target_print("count %lu", atomic_load(&counted));
	return 0;
}
