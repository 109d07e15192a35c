/* System calls whose numbers are known: see the table. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *in_thread(void *data)
{
	for (int i = 0; i < 77; i++)
		syscall(SYS_getppid);
	return data;
}

int main(void)
{
	struct timespec nap = {.tv_nsec = 100000};
	int zero = open("/dev/zero", O_RDONLY);
	pthread_t thread;
	char text[64];
	long wrong = 0;

	for (int i = 0; i < 1000; i++)
		wrong += read(zero, text, sizeof(text)) != sizeof(text);
	for (int i = 0; i < 10; i++)
		wrong += read(999, text, 1) != -1;
	for (int i = 0; i < 20; i++)
		wrong += nanosleep(&nap, NULL) != 0;
	for (int i = 0; i < 2000; i++)
		syscall(SYS_getuid);
	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
	return wrong != 0;
}
