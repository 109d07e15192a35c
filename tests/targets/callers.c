/*
 * Calls functions as often as is known, in parts, which its arguments name; without any all of the first
 * eight:
 *
 *   recursion  fib(10): 177 calls, 10 within each other; is_even(20): 11 calls and 10 of is_odd(), each
 *              by the other one
 *   deep       sink_deep(100): 100 calls within each other
 *   work       100 calls of work() from repeat(), each with 3 of leaf()
 *   threads    the same 50 times in each of 2 threads
 *   fork       the same 10 times in a child
 *   jumps      20 calls of leaver(), which calls leaf() and then jumps back into jumps(), which calls leaf()
 *   tails      30 calls of hand_over(), which tail-calls taker()
 *   naps       3 calls of snooze() from naps(), 20 ms each
 *   loop       work() each millisecond until the test's word
 *   exit       ends inside of leave_early()
 *   exec       runs itself with "exit" in run_another()
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

MEASURED static void run_another(void)
{
	leaf(0);
	execl("/proc/self/exe", "callers", "exit", NULL);
	target_fail("execl");
}

MEASURED static void loop(void)
{
	struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};

	target_ready("%d", (int)getpid());
	while (!poll(&end, 1, 1))
		work();
}

static void recursion(void)
{
	result = fib(FIB) + is_even(EVEN);
}

static void deep(void)
{
	result = sink_deep(DEPTH);
}

static void work_alone(void)
{
	repeat(FROM_MAIN);
}

static void tails(void)
{
	for (int i = 0; i < TAILS; i++)
		result = hand_over(i);
}

static const struct {
	const char *name;
	void (*run)(void);
	bool is_named; /* runs only if it is named */
} parts[] = {
	{"recursion", recursion, false},
	{"deep", deep, false},
	{"work", work_alone, false},
	{"threads", work_in_threads, false},
	{"fork", work_in_child, false},
	{"jumps", jumps, false},
	{"tails", tails, false},
	{"naps", naps, false},
	{"loop", loop, true},
	{"exit", leave_early, true},
	{"exec", run_another, true},
};

static bool is_wanted(size_t part, int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], parts[part].name))
			return true;
	}
	return argc < 2 && !parts[part].is_named;
}

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (is_wanted(i, argc, argv))
			parts[i].run();
	}
	return 7;
}
