/*
 * Many threads: BUSY of them spin, ASLEEP of them block for good, each kind in a function and under
 * a thread name of its own. A line "b" on stdin gives birth to one more, in late_worker(), and is
 * answered with its thread id, so that a test can have threads born while it samples. Ends when
 * stdin closes.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/targets/target.h"

static volatile uint64_t sink;
static pthread_mutex_t never_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static MEASURED void burn(void)
{
	uint64_t x = sink;

	for (int i = 0; i < 1000000; i++)
		x = x * 6364136223846793005u + 1;
	sink = x;
}

static MEASURED void *busy_worker(void *unused)
{
	for (;;)
		burn();
	return unused;
}

static MEASURED void *asleep_worker(void *unused)
{
	pthread_mutex_lock(&never_lock);
	for (;;)
		pthread_cond_wait(&never, &never_lock);
	return unused;
}

static MEASURED void *late_worker(void *unused)
{
	target_print("born %d", (int)gettid());
	for (;;)
		burn();
	return unused;
}

static void start(void *(*body)(void *), const char *kind, long number)
{
	pthread_t thread;
	char name[32];

	snprintf(name, sizeof(name), "%.6s-%ld", kind, number);
	if (pthread_create(&thread, NULL, body, NULL) != 0)
		target_fail("pthread_create");
	if (pthread_setname_np(thread, name) != 0)
		target_fail("pthread_setname_np");
}

int main(int argc, char *argv[])
{
	char line[64];
	long busy, asleep;

	target_init(&argc, argv);
	busy = target_number(argc, argv, 1, 1);
	asleep = target_number(argc, argv, 2, 1);
	for (long i = 0; i < busy; i++)
		start(busy_worker, "busy", i);
	for (long i = 0; i < asleep; i++)
		start(asleep_worker, "asleep", i);
	target_ready("%d", (int)getpid());
	for (long i = 0; target_read_line(line, sizeof(line)); i++)
		start(late_worker, "late", i);
	return 0;
}
