/*
 * A thread of the policy SCHED_FIFO that computes on one CPU, for a given time; and with "beside" an
 * ordinary one, of the same program, that wants the same CPU.
 *
 * It ends by itself, and RLIMIT_RTTIME ends it where that fails: it must never take a CPU for good. The
 * kernel leaves a twentieth of the CPU to other threads (sched(7), sched_rt_runtime_us).
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { LIMIT_S = 20 };

static volatile uint64_t sink;
static uint64_t end_ns;

static void spin(void)
{
	uint64_t x = sink;

	for (int i = 0; i < 100000; i++)
		x = x * 6364136223846793005u + 1;
	sink = x;
}

static MEASURED void burn_real_time(void)
{
	while (target_now_ns() < end_ns)
		spin();
}

static MEASURED void burn_beside(void)
{
	while (target_now_ns() < end_ns)
		spin();
}

static void *run_beside(void *data)
{
	burn_beside();
	return NULL;
}

static void pin_to(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		target_fail("sched_setaffinity");
}

static void become_real_time(void)
{
	const struct rlimit limit = {LIMIT_S * 1000000, LIMIT_S * 1000000};
	const struct sched_param param = {.sched_priority = 1};

	if (setrlimit(RLIMIT_RTTIME, &limit) || sched_setscheduler(0, SCHED_FIFO, &param))
		target_fail("SCHED_FIFO");
}

/* CPU SECONDS [beside] */
int main(int argc, char *argv[])
{
	bool beside;
	pthread_t thread;

	target_init(&argc, argv);
	beside = argc > 3 && !strcmp(argv[3], "beside");
	pin_to(target_number(argc, argv, 1, 0));
	end_ns = target_now_ns() + (uint64_t)target_number(argc, argv, 2, 1) * 1000000000;
	if (beside && pthread_create(&thread, NULL, run_beside, NULL))
		target_fail("pthread_create");
	become_real_time();
	target_ready("%d", (int)getpid());
	burn_real_time();
	if (beside)
		pthread_join(thread, NULL);
	return 0;
}
