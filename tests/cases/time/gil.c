/* A thread waits for the lock of a Python interpreter (3.11's structure), which has a condition variable of this C library. */

#define _GNU_SOURCE
#include "tests/cases/ready.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>

static struct {
	unsigned long interval;
	uint64_t last_holder;
	int locked;
	unsigned long switches;
	pthread_cond_t condition;
	pthread_mutex_t mutex;
} gil = {.condition = PTHREAD_COND_INITIALIZER, .mutex = PTHREAD_MUTEX_INITIALIZER};
static uint64_t state[32];

static void *wait_for_it(void *data)
{
	pthread_mutex_lock(&gil.mutex);
	say_ready();
	pthread_cond_wait(&gil.condition, &gil.mutex);
	return data;
}

int main(void)
{
	pthread_t thread;

	state[4] = (uint64_t)(uintptr_t)pthread_self();
	state[5] = (uint64_t)syscall(SYS_gettid);
	gil.last_holder = (uint64_t)(uintptr_t)state;
	gil.locked = 1;
	pthread_create(&thread, NULL, wait_for_it, NULL);
	for (;;)
		pause();
}
