/*
 * Calls a function as often as is known, and touches as many pages: 1000 calls from main(), 500 from
 * another thread, 250 from a child; 200 pages. With "spin" it computes for 0.5 s afterwards; with "loop" it
 * calls the function each millisecond until the test's word.
 */
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { PAGES = 200, PAGE = 4096, FROM_MAIN = 1000, FROM_THREAD = 500, FROM_CHILD = 250 };

static volatile long sink;

MEASURED static long handle(long index, long caller)
{
	return index + caller;
}

static void *call_from_thread(void *data)
{
	for (long i = 0; i < FROM_THREAD; i++)
		sink = handle(i, 2);
	return data;
}

static void call_from_child(void)
{
	if (fork()) {
		wait(NULL);
		return;
	}
	for (long i = 0; i < FROM_CHILD; i++)
		sink = handle(i, 3);
	_exit(0);
}

static void touch_pages(void)
{
	char *memory = mmap(
		NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		memory[i * PAGE] = 1;
}

MEASURED static void burn(clock_t until)
{
	while (clock() < until) {
		for (int i = 0; i < 100000; i++)
			sink++;
	}
}

static void loop(void)
{
	struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};

	target_ready("%d", (int)getpid());
	while (!poll(&end, 1, 1))
		sink = handle(1, 1);
}

int main(int argc, char *argv[])
{
	pthread_t thread;

	target_init(&argc, argv);
	if (argc > 1 && !strcmp(argv[1], "loop")) {
		loop();
		return 0;
	}
	for (long i = 0; i < FROM_MAIN; i++)
		sink = handle(i, 1);
	pthread_create(&thread, NULL, call_from_thread, NULL);
	pthread_join(thread, NULL);
	call_from_child();
	touch_pages();
	if (argc > 1 && !strcmp(argv[1], "spin"))
		burn(CLOCKS_PER_SEC / 2);
	return 7;
}
