/*
 * Threads that contend for one CPU: `contend CPU ROUNDS [yields]`. When a line comes on stdin, a process of its own computes
 * on that CPU, and so does a thread (`busy`); another thread (`naps`) computes for 2 ms and sleeps for 1 ms, ROUNDS
 * times. Then all of them end, the line "done" follows, and the program waits for the end of stdin. With a third
 * argument, `busy` is two threads that give up the CPU all the time, and no other process computes.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { WORK_NS = 2000000, NAP_NS = 1000000 };

static long rounds;
static bool yields;
static atomic_bool finished;

static uint64_t own_cpu_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void burn(uint64_t ns)
{
	const uint64_t end = own_cpu_ns() + ns;

	while (own_cpu_ns() < end)
		;
}

static void *be_busy(void *unused)
{
	prctl(PR_SET_NAME, "busy");
	while (!atomic_load(&finished)) {
		if (yields)
			sched_yield();
		else
			burn(WORK_NS);
	}
	return unused;
}

static void *nap(void *unused)
{
	const struct timespec time = {.tv_nsec = NAP_NS};

	prctl(PR_SET_NAME, "naps");
	for (long i = 0; i < rounds; i++) {
		burn(WORK_NS);
		nanosleep(&time, NULL);
	}
	atomic_store(&finished, true);
	return unused;
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		target_fail("sched_setaffinity");
}

/* It ends with its parent. */
static pid_t start_hog(void)
{
	const pid_t hog = fork();

	if (hog < 0)
		target_fail("fork");
	if (hog)
		return hog;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		burn(WORK_NS);
}

int main(int argc, char *argv[])
{
	pthread_t busy[2], naps;
	char line[16];
	pid_t hog;

	target_init(&argc, argv);
	pin((int)target_number(argc, argv, 1, 0));
	rounds = target_number(argc, argv, 2, 100);
	yields = argc > 3;
	target_ready("%d", (int)getpid());
	if (!target_read_line(line, sizeof(line)))
		return 0;
	hog = yields ? 0 : start_hog();
	for (int i = 0; i <= yields; i++) {
		if (pthread_create(&busy[i], NULL, be_busy, NULL))
			target_fail("pthread_create");
	}
	if (pthread_create(&naps, NULL, nap, NULL))
		target_fail("pthread_create");
	pthread_join(naps, NULL);
	for (int i = 0; i <= yields; i++)
		pthread_join(busy[i], NULL);
	if (hog) {
		kill(hog, SIGKILL);
		waitpid(hog, NULL, 0);
	}
	target_print("done");
	target_wait_for_end();
	return 0;
}
