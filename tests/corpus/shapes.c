/* Threads whose stacks have what compilers make of C: "run" computes for ever, "sleep" sleeps at the same places. */

#include <alloca.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))

static bool sleeps;
static volatile long sum;
static char *volatile kept;

APART static void leaf(int turns)
{
	char text[64];

	if (sleeps) {
		printf("asleep\n");
		for (;;)
			pause();
	}
	for (int i = 0; i < turns; i++)
		sum += i * i;
	sum += snprintf(text, sizeof(text), "%d %g", turns, pow(turns, 1.5));
	if (turns == 100)
		sum += clock();
}

APART static int recurse(int depth)
{
	int below;

	if (!depth) {
		leaf(100);
		return 1;
	}
	below = recurse(depth - 1);
	return below + depth * recurse(depth == 3 ? 1 : 0);
}

APART static void realigned(int size)
{
	_Alignas(64) volatile char aligned[128];

	kept = alloca((size_t)size % 500 + 16);
	aligned[size % 128] = 1;
	leaf(50);
	sum += aligned[1] + kept[0];
}

APART static void aligned(int size)
{
	_Alignas(32) volatile double numbers[16];

	numbers[size % 16] = size;
	realigned(size);
	sum += (long)numbers[0];
}

APART static void variable(int size)
{
	volatile char bytes[size + 1];

	bytes[size] = 1;
	aligned(size);
	sum += bytes[size];
}

APART static void large(int size)
{
	volatile char room[20000];

	room[size] = 1;
	variable(size);
	sum += room[size];
}

static int compare(const void *left, const void *right)
{
	const int *a = left, *b = right;

	leaf(10);
	return (*a > *b) - (*a < *b);
}

APART static void sort(int size)
{
	int numbers[16];

	for (int i = 0; i < 16; i++)
		numbers[i] = (i * 7 + size) % 16;
	qsort(numbers, 16, sizeof(numbers[0]), compare);
	sum += numbers[3];
}

static jmp_buf back;

APART static void jump(int depth)
{
	if (depth)
		jump(depth - 1);
	else
		longjmp(back, 1);
	sum++;
}

APART static void jumps(int size)
{
	if (!setjmp(back))
		jump(size % 5 + 1);
	leaf(20);
	sum++;
}

static void on_signal(int number)
{
	recurse(number % 4);
	leaf(30);
}

APART static void interrupted(int size)
{
	raise(SIGUSR1);
	sum += size;
}

static __thread ucontext_t caller_context, context;

static void in_context(void)
{
	for (;;) {
		recurse(2);
		swapcontext(&context, &caller_context);
	}
}

APART static void switches(int size)
{
	static char stack[1 << 16];

	if (!context.uc_stack.ss_sp) {
		getcontext(&context);
		context.uc_stack.ss_sp = stack;
		context.uc_stack.ss_size = sizeof(stack);
		makecontext(&context, in_context, 0);
	}
	swapcontext(&caller_context, &context);
	sum += size;
}

static void pointers(int size);
static void (*volatile const ways[])(int) = {large, sort, jumps, interrupted, switches, pointers};

APART static void pass(int size)
{
	ways[1](size); /* a tail call, if optimized */
}

APART static void pointers(int size)
{
	pass(size);
	sum++;
}

static void *begin(void *which)
{
	static char stacks[8][1 << 16];
	const size_t way = *(size_t *)which;
	stack_t stack = {.ss_sp = stacks[way], .ss_size = sizeof(stacks[way])};

	sigaltstack(&stack, NULL);
	for (int size = 1;; size = size % 400 + 7)
		ways[way](size);
	return NULL;
}

int main(int argc, char **argv)
{
	static size_t numbers[6];
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
	pthread_t thread;

	setvbuf(stdout, NULL, _IONBF, 0);
	sleeps = argc > 1 && !strcmp(argv[1], "sleep");
	sigaction(SIGUSR1, &action, NULL);
	for (size_t i = 0; i < 6; i++) {
		numbers[i] = i;
		pthread_create(&thread, NULL, begin, &numbers[i]);
	}
	if (!sleeps)
		printf("running\n");
	recurse(5);
	for (;;)
		recurse(5);
}
