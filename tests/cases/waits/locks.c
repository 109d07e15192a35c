/* Locks that will never be free, and a wait that is none of these. The first argument chooses. */

#define _GNU_SOURCE
#include "tests/cases/ready.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <signal.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both_have_one;
static int going_on;

// From here on, the thread sleeps nowhere but at its lock.
static void go_on(void)
{
	__atomic_add_fetch(&going_on, 1, __ATOMIC_SEQ_CST);
}

static void *first_then_second(void *data)
{
	pthread_mutex_lock(&first);
	pthread_barrier_wait(&both_have_one);
	go_on();
	pthread_mutex_lock(&second);
	return data;
}

static void *second_then_first(void *data)
{
	pthread_mutex_lock(&second);
	pthread_barrier_wait(&both_have_one);
	go_on();
	pthread_mutex_lock(&first);
	return data;
}

static void circle(int protocol)
{
	pthread_mutexattr_t kind;
	pthread_t threads[2];

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setprotocol(&kind, protocol);
	pthread_mutex_init(&first, &kind);
	pthread_mutex_init(&second, &kind);
	pthread_barrier_init(&both_have_one, NULL, 2);
	pthread_create(&threads[0], NULL, first_then_second, NULL);
	pthread_create(&threads[1], NULL, second_then_first, NULL);
	while (__atomic_load_n(&going_on, __ATOMIC_SEQ_CST) < 2)
		;
	say_ready();
	pthread_join(threads[0], NULL);
}

static void *lock_and_end(void *data)
{
	pthread_mutex_lock(&first);
	return data;
}

static void dead_owner(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, lock_and_end, NULL);
	pthread_join(thread, NULL);
	say_ready();
	pthread_mutex_lock(&first);
}

static void dead_recursive(void)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&first, &kind);
	dead_owner();
}

static void *write_and_end(void *data)
{
	pthread_rwlock_wrlock(data);
	return data;
}

static void dead_writer(void)
{
	static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
	pthread_t thread;

	pthread_create(&thread, NULL, write_and_end, &lock);
	pthread_join(thread, NULL);
	say_ready();
	pthread_rwlock_rdlock(&lock);
}

static void *lock_twice(void *data)
{
	pthread_mutex_lock(&first);
	pthread_mutex_lock(&first);
	return data;
}

static void by_itself(int protocol)
{
	pthread_mutexattr_t kind;
	pthread_t thread;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_setprotocol(&kind, protocol);
	pthread_mutex_init(&first, &kind);
	pthread_create(&thread, NULL, lock_twice, NULL);
	say_ready();
	pthread_join(thread, NULL);
}

// The child has a copy of a mutex that another thread of its parent has locked; the parent goes on to wait for it.
static void of_the_parent(void)
{
	pthread_t thread;
	pid_t child;

	pthread_create(&thread, NULL, lock_and_end, NULL);
	pthread_join(thread, NULL);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
		pthread_mutex_lock(&first);
		_exit(0);
	}
	say_ready();
	waitpid(child, NULL, 0);
}

// The thread that is waited for wants the mutex of the one that waits for it.
static void joins(void)
{
	pthread_t thread;

	pthread_mutex_lock(&first);
	pthread_create(&thread, NULL, lock_and_end, NULL);
	say_ready();
	pthread_join(thread, NULL);
}

static void no_circle(void)
{
	sem_t never;

	sem_init(&never, 0, 0);
	say_ready();
	sem_wait(&never);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	if (strcmp(kind, "circle") == 0)
		circle(PTHREAD_PRIO_NONE);
	else if (strcmp(kind, "circle-inherit") == 0)
		circle(PTHREAD_PRIO_INHERIT);
	else if (strcmp(kind, "dead-owner") == 0)
		dead_owner();
	else if (strcmp(kind, "itself") == 0)
		by_itself(PTHREAD_PRIO_NONE);
	else if (strcmp(kind, "itself-inherit") == 0)
		by_itself(PTHREAD_PRIO_INHERIT);
	else if (strcmp(kind, "dead-recursive") == 0)
		dead_recursive();
	else if (strcmp(kind, "dead-writer") == 0)
		dead_writer();
	else if (strcmp(kind, "parent") == 0)
		of_the_parent();
	else if (strcmp(kind, "joins") == 0)
		joins();
	else if (strcmp(kind, "semaphore") == 0)
		no_circle();
	return 1;
}
