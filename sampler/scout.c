/*
 * Trying CPUs. The scout sleeps until it is sent; it says when it was there by an atomic variable. Does not
 * handle real-time threads that come later.
 */
#include "sampler/scout.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"

enum { STACK_SIZE = 64 * 1024 };

static const uint64_t KNOWN_NS = SPROF_NS_PER_S, AGAIN_NS = 2 * (uint64_t)SPROF_NS_PER_S;

struct sprof_scout {
	sem_t sent;
	atomic_bool ends;
	atomic_bool is_left; /* by one of both: the other one frees it */
	/* Written before it is sent. */
	cpu_set_t cpus;
	uint64_t sent_ns;
	/* Written before it says that it is there. */
	int cpu;
	atomic_uint_fast64_t there_ns; /* 0: on its way */
};

static void leave(struct sprof_scout *scout)
{
	if (!atomic_exchange(&scout->is_left, true))
		return;
	sem_destroy(&scout->sent);
	free(scout);
}

static void *run(void *data)
{
	struct sprof_scout *scout = data;

	for (;;) {
		while (sem_wait(&scout->sent))
			;
		if (atomic_load(&scout->ends))
			break;
		sched_setaffinity(0, sizeof(scout->cpus), &scout->cpus);
		scout->cpu = sched_getcpu();
		atomic_store(&scout->there_ns, sprof_clock_now_ns());
	}
	leave(scout);
	return NULL;
}

static bool start(struct sprof_scout *scout)
{
	pthread_attr_t attributes;
	pthread_t thread;
	bool started;

	if (pthread_attr_init(&attributes))
		return false;
	started = !pthread_attr_setstacksize(&attributes, STACK_SIZE) &&
		!pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED) &&
		!pthread_create(&thread, &attributes, run, scout);
	pthread_attr_destroy(&attributes);
	return started;
}

struct sprof_scout *sprof_scout_new(void)
{
	struct sprof_scout *scout = calloc(1, sizeof(*scout));

	if (!scout)
		return NULL;
	sem_init(&scout->sent, 0, 0);
	/* It is nowhere: no CPU was tried. */
	scout->cpu = -1;
	atomic_store(&scout->there_ns, 1);
	if (start(scout))
		return scout;
	sem_destroy(&scout->sent);
	free(scout);
	return NULL;
}

void sprof_scout_free(struct sprof_scout *scout)
{
	if (!scout)
		return;
	atomic_store(&scout->ends, true);
	sem_post(&scout->sent);
	leave(scout);
}

static void set_out(struct sprof_scout *scout, const cpu_set_t *cpus, uint64_t now_ns)
{
	scout->cpus = *cpus;
	scout->sent_ns = now_ns;
	atomic_store(&scout->there_ns, 0);
	sem_post(&scout->sent);
}

static bool has(const cpu_set_t *cpus, int cpu)
{
	return cpu >= 0 && cpu < CPU_SETSIZE && CPU_ISSET((size_t)cpu, cpus);
}

int sprof_scout_find(struct sprof_scout *scout, const cpu_set_t *cpus, uint64_t within_ns)
{
	const uint64_t now_ns = sprof_clock_now_ns(), there_ns = atomic_load(&scout->there_ns);
	bool was_late;

	if (!there_ns)
		return -1;
	was_late = there_ns > scout->sent_ns + within_ns && scout->sent_ns;
	if (!was_late && now_ns < scout->sent_ns + KNOWN_NS && has(cpus, scout->cpu))
		return scout->cpu;
	if (!was_late || now_ns > scout->sent_ns + AGAIN_NS)
		set_out(scout, cpus, now_ns);
	return -1;
}
