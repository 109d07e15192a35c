/*
 * Calls functions as often as is known, one part after the other:
 *
 *   fib(10)           177 calls, 10 within each other
 *   is_even(20)       11 calls, and 10 of is_odd(): each calls the other one
 *   work(), leaf()    100 and 300 calls from main(), 50 and 150 from each of 2 threads, 10 and 30 from a child
 *   leaver()          20 calls, which longjmp(3) to jumps(); it calls leaf() before, jumps() calls it after
 *   hand_over()       30 calls, each a tail call of taker()
 *   sink_deep(100)    100 calls within each other
 *   snooze()          3 calls of 20 ms, in naps()
 *
 * so leaf() is called 300 + 300 + 30 + 40 times. With "loop" it calls work() each millisecond until the
 * test's word; with "exit" it ends inside of leave_early(); with "exec" it runs itself in
 * run_another().
 */
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { FIB = 10, EVEN = 20, FROM_MAIN = 100, FROM_THREAD = 50, FROM_CHILD = 10, THREADS = 2 };
enum { LEAVES = 3, JUMPS = 20, TAILS = 30, DEPTH = 100, NAPS = 3 };

static volatile long result;
static jmp_buf place;

MEASURED static long fib(long n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

MEASURED static long is_odd(long n);

MEASURED static long is_even(long n)
{
	return n ? 1 - is_odd(n - 1) : 1;
}

MEASURED static long is_odd(long n)
{
	return n ? 1 - is_even(n - 1) : 0;
}

MEASURED static void leaf(long n)
{
	result = n;
}

MEASURED static void work(void)
{
	for (long i = 0; i < LEAVES; i++)
		leaf(i);
	result = 0;
}

MEASURED static void repeat(int times)
{
	for (int i = 0; i < times; i++)
		work();
	result = 0;
}

static void *work_in_thread(void *data)
{
	repeat(FROM_THREAD);
	return data;
}

static void work_in_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work_in_thread, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

MEASURED static void work_in_child(void)
{
	if (fork()) {
		wait(NULL);
		return;
	}
	repeat(FROM_CHILD);
	_exit(0);
}

MEASURED static void leaver(void)
{
	leaf(1);
	longjmp(place, 1);
}

MEASURED static void jumps(void)
{
	for (volatile int i = 0; i < JUMPS; i++) {
		if (!setjmp(place))
			leaver();
		leaf(2);
	}
	result = 0;
}

MEASURED __attribute__((used)) static long taker(long n)
{
	return n + result;
}

/* Compilers may or may not make a jump of such a call. */
long hand_over(long n);
__asm__(".text\n"
	".type hand_over, %function\n"
	"hand_over:\n"
#ifdef __x86_64__
	"	leaq 1(%rdi), %rdi\n"
	"	jmp taker\n"
#else
	"	add x0, x0, #1\n"
	"	b taker\n"
#endif
	".size hand_over, . - hand_over\n");

MEASURED static long sink_deep(long depth)
{
	return depth > 1 ? 1 + sink_deep(depth - 1) : 1;
}

MEASURED static void snooze(void)
{
	const struct timespec duration = {.tv_nsec = 20 * 1000 * 1000};

	nanosleep(&duration, NULL);
	result = 0;
}

MEASURED static void naps(void)
{
	for (int i = 0; i < NAPS; i++)
		snooze();
	result = 0;
}

MEASURED static void leave_early(void)
{
	leaf(0);
	exit(9);
}

MEASURED static void run_another(const char *path)
{
	leaf(0);
	execl(path, path, "exit", NULL);
	target_fail("execl");
}

MEASURED static void loop(void)
{
	struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};

	target_ready("%d", (int)getpid());
	while (!poll(&end, 1, 1))
		work();
}

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	if (argc > 1 && !strcmp(argv[1], "loop")) {
		loop();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "exit"))
		leave_early();
	if (argc > 1 && !strcmp(argv[1], "exec"))
		run_another(argv[0]);
	result = fib(FIB) + is_even(EVEN);
	repeat(FROM_MAIN);
	work_in_threads();
	work_in_child();
	jumps();
	for (int i = 0; i < TAILS; i++)
		result = hand_over(i);
	result = sink_deep(DEPTH);
	naps();
	return 7;
}
