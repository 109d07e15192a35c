/*
 * A storm of short-lived threads until stdin closes, at most PARALLEL at a time; each adds one to a
 * sum. Prints how many were made and what the sum is.
 */
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define PARALLEL 8

static atomic_ulong sum;

static MEASURED void *short_life(void *unused)
{
	atomic_fetch_add(&sum, 1);
	return unused;
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

int main(int argc, char *argv[])
{
	unsigned long created = 0;

	target_init(&argc, argv);
	target_ready("%d", (int)getpid());
	while (!told_to_end())
		created += gust();
	target_print("created %lu sum %lu", created, atomic_load(&sum));
	return created == atomic_load(&sum) ? 0 : 1;
}
