/* "early" makes 100 calls of work() and lives longer than "late", which begins after it, makes 1000, and ends first. */

#define _GNU_SOURCE
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_t threads[2];

__attribute__((noinline, noclone)) void work(void)
{
	syscall(SYS_getppid);
}

static void *late(void *data)
{
	prctl(PR_SET_NAME, "late");
	for (int i = 0; i < 1000; i++)
		work();
	return data;
}

static void *early(void *data)
{
	prctl(PR_SET_NAME, "early");
	for (int i = 0; i < 100; i++)
		work();
	pthread_create(&threads[1], NULL, late, NULL);
	pthread_join(threads[1], NULL);
	return data;
}

int main(void)
{
	pthread_create(&threads[0], NULL, early, NULL);
	pthread_join(threads[0], NULL);
	return 0;
}
