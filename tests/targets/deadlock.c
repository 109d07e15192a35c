/*
 * Threads that wait for each other's locks in a circle: `deadlock KINDS`, one letter for each
 * thread's own lock: m a mutex, w an rwlock that it writes, r an rwlock that it reads. Each thread
 * takes its lock, then waits for the next thread's. `deadlock turns`: two threads take two mutexes
 * again and again, in either order, but never a second one while they have the first. The main thread
 * waits for stdin to close.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { MOST = 8 };

static pthread_mutex_t mutexes[MOST];
static pthread_rwlock_t rwlocks[MOST];
static pthread_barrier_t all_have_theirs;
static const char *kinds;

MEASURED static void take(size_t index)
{
	if (kinds[index] == 'm')
		pthread_mutex_lock(&mutexes[index]);
	else if (kinds[index] == 'w')
		pthread_rwlock_wrlock(&rwlocks[index]);
	else
		pthread_rwlock_rdlock(&rwlocks[index]);
}

/* Who waits for a reader wants to write. */
MEASURED static void wait_for(size_t index)
{
	if (kinds[index] == 'm')
		pthread_mutex_lock(&mutexes[index]);
	else
		pthread_rwlock_wrlock(&rwlocks[index]);
}

static void *play(void *data)
{
	const size_t index = (size_t)((const char *)data - kinds);
	char name[16];

	snprintf(name, sizeof(name), "waiter-%zu", index);
	prctl(PR_SET_NAME, name);
	take(index);
	pthread_barrier_wait(&all_have_theirs);
	wait_for((index + 1) % strlen(kinds));
	return NULL;
}

static void *take_turns(void *data)
{
	const size_t begin = (size_t)((const char *)data - kinds);

	for (size_t i = begin;; i++) {
		pthread_mutex_lock(&mutexes[i % 2]);
		pthread_mutex_unlock(&mutexes[i % 2]);
	}
	return NULL;
}

int main(int argc, char *argv[])
{
	pthread_t thread;
	bool in_turns;
	size_t count;

	target_init(&argc, argv);
	if (argc != 2 || !argv[1][0] || strlen(argv[1]) > MOST)
		target_fail("one letter for each of 1 to 8 threads");
	kinds = argv[1];
	in_turns = strcmp(kinds, "turns") == 0;
	count = in_turns ? 2 : strlen(kinds);
	pthread_barrier_init(&all_have_theirs, NULL, (unsigned)count + 1);
	for (size_t i = 0; i < count; i++) {
		pthread_mutex_init(&mutexes[i], NULL);
		pthread_rwlock_init(&rwlocks[i], NULL);
		if (pthread_create(&thread, NULL, in_turns ? take_turns : play, (void *)&kinds[i]))
			target_fail("pthread_create");
	}
	if (!in_turns)
		pthread_barrier_wait(&all_have_theirs);
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	_exit(0);
}
