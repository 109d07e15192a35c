/* A thread waits for the lock of a Python interpreter (3.11's structure), in the word of its condition variable at WORD. */

#define _GNU_SOURCE
#include "tests/cases/ready.h"

#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/syscall.h>

static struct {
	unsigned long interval;
	uint64_t last_holder;
	int locked;
	unsigned long switches;
	char condition[48];
	char mutex[40];
} gil;
static uint64_t state[32];

static void *wait_for_it(void *data)
{
	say_ready();
	syscall(SYS_futex, gil.condition + WORD, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, -1);
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
