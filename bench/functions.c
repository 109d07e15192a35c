/*
 * Loops for what it costs to watch functions and allocations. Prints how long the loop took by its own
 * clock, as JSON. Does not choose a CPU: who starts it does.
 *
 *     functions call|trap|allocate|compute|fault N
 *
 * call: N calls of work(), which does next to nothing. trap: N breakpoint instructions, under a parent
 * that only waits and continues: the floor of every tracer that stops. allocate: N pairs of malloc()
 * and free(). compute: the same, with some 50 us of work for each. fault: the first touch of N pages.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, PAGE = 4096, BLOCK_PAGES = 1024, SPIN = 100000 };

static volatile unsigned spun;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

long work(long number);

long __attribute__((noinline)) work(long number)
{
	__asm__ volatile("");
	return number + 1;
}

static void call(long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += work(i);
	spun = (unsigned)sum;
}

static void trap(long count)
{
#if defined(__x86_64__)
	for (long i = 0; i < count; i++)
		__asm__ volatile("int3");
#endif
}

/* The pointer goes through memory, so that the pair stays. */
static void allocate(long count)
{
	static void *volatile kept;

	for (long i = 0; i < count; i++) {
		kept = malloc(100);
		free(kept);
	}
}

static void compute(long count)
{
	for (long i = 0; i < count; i++) {
		allocate(1);
		for (int j = 0; j < SPIN; j++)
			spun += (unsigned)j;
	}
}

static void fault(long count)
{
	for (long i = 0; i < count; i += BLOCK_PAGES) {
		char *block = mmap(NULL, (size_t)PAGE * BLOCK_PAGES, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (block == MAP_FAILED)
			_exit(2);
		madvise(block, (size_t)PAGE * BLOCK_PAGES, MADV_NOHUGEPAGE);
		for (size_t page = 0; page < BLOCK_PAGES; page++)
			block[page * PAGE] = 1;
		munmap(block, (size_t)PAGE * BLOCK_PAGES);
	}
}

static const struct {
	const char *name;
	void (*run)(long count);
} loops[] = {
	{"call", call},
	{"allocate", allocate},
	{"compute", compute},
	{"fault", fault},
	{"trap", trap},
};

static void measure(void (*run)(long count), long count)
{
	const uint64_t begin = now_ns();

	run(count);
	printf("{\"elapsed_ns\": %llu}\n", (unsigned long long)(now_ns() - begin));
	fflush(stdout);
}

/* Returns the exit code of the child. */
static int trap_under_parent(long count)
{
	pid_t child = fork();
	int status;

	if (!child) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		measure(trap, count);
		_exit(0);
	}
	while (child > 0 && waitpid(child, &status, __WALL) == child && WIFSTOPPED(status)) {
		if (ptrace(PTRACE_CONT, child, 0, 0))
			return 2;
	}
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
}

int main(int argc, char *argv[])
{
	const long count = argc == 3 ? strtol(argv[2], NULL, 10) : 0;

	if (count <= 0)
		return 64;
	if (strcmp(argv[1], "trap") == 0)
		return trap_under_parent(count);
	for (size_t i = 0; i < sizeof(loops) / sizeof(loops[0]); i++) {
		if (strcmp(argv[1], loops[i].name) == 0) {
			measure(loops[i].run, count);
			return 0;
		}
	}
	return 64;
}
