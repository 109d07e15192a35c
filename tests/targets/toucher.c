/*
 * Touches known numbers of new pages, 4 KiB each, in one function per kind of memory: mapped,
 * allocated, of a file, given back and touched again, the stack, in a thread, inside the kernel, and,
 * by another program, after an exec. Each function has run before, so that its code is there.
 * Computes between two pages, so that records of all of them can be read. At its end it prints what
 * the kernel has counted of it. `toucher burst`: touches many pages at once beside threads that sleep, and a
 * few ones later.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum {
	PAGE = 4096,
	MAPPED = 500,
	ALLOCATED = 300,
	OF_A_FILE = 200,
	AGAIN = 150,
	STACK = 100,
	IN_A_THREAD = 400,
	IN_THE_KERNEL = 64,
	AFTER_EXEC = 250,
	BURST = 60000,
	SLEEPERS = 10,
	ROUNDS = 3000, /* some 10 us */
};

static void compute(void)
{
	for (volatile int i = 0; i < ROUNDS; i++)
		;
}

static void touch(char *memory, long pages)
{
	for (long i = 0; i < pages; i++) {
		memory[i * PAGE] = 1;
		compute();
	}
}

static char *map(long pages, int flags, int file)
{
	char *memory = mmap(NULL, (size_t)pages * PAGE, PROT_READ | PROT_WRITE, flags, file, 0);

	if (memory == MAP_FAILED)
		target_fail("mmap");
	madvise(memory, (size_t)pages * PAGE, MADV_NOHUGEPAGE);
	return memory;
}

MEASURED static void mapped(long pages)
{
	touch(map(pages, MAP_PRIVATE | MAP_ANONYMOUS, -1), pages);
}

/* The page with the allocator's own words is one of them. */
MEASURED static void allocated(long pages)
{
	char *memory = malloc((size_t)pages * PAGE);

	if (!memory)
		target_fail("malloc");
	touch(memory, pages);
}

MEASURED static void of_a_file(long pages)
{
	int file = memfd_create("touched", MFD_CLOEXEC);

	if (file < 0 || ftruncate(file, pages * PAGE))
		target_fail("memfd_create");
	touch(map(pages, MAP_SHARED, file), pages);
	close(file);
}

MEASURED static void again(long pages)
{
	char *memory = map(pages, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	touch(memory, pages);
	madvise(memory, (size_t)pages * PAGE, MADV_DONTNEED);
	touch(memory, pages);
}

/* Its callers are too far up for a copy of the stack. */
MEASURED static void on_the_stack(long pages)
{
	volatile char memory[STACK * PAGE];

	for (long i = STACK - 1; i >= STACK - pages; i--) {
		memory[i * PAGE] = 1;
		compute();
	}
	(void)memory[STACK * PAGE - 1];
}

MEASURED static void *in_a_thread(void *data)
{
	mapped(*(long *)data);
	return NULL;
}

static void run_thread(long pages)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_a_thread, &pages);
	pthread_join(thread, NULL);
}

MEASURED static void in_the_kernel(long pages)
{
	char *memory = map(pages, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	int zeros = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	ssize_t done;

	/* A stop cuts such a read short, as a signal would (drivers/char/mem.c, read_zero). */
	for (ssize_t at = 0; at < pages * PAGE; at += done) {
		done = read(zeros, memory + at, (size_t)(pages * PAGE - at));
		if (done <= 0)
			target_fail("read");
	}
	close(zeros);
}

MEASURED static void after_exec(long pages)
{
	mapped(pages);
}

static void *sleep_on(void *data)
{
	pause();
	return NULL;
}

MEASURED static void burst(void)
{
	char *memory = map(BURST, MAP_PRIVATE | MAP_ANONYMOUS, -1);

	for (long i = 0; i < BURST; i++)
		memory[i * PAGE] = 1;
}

static void after_burst(void)
{
	pthread_t thread;

	for (int i = 0; i < SLEEPERS; i++)
		pthread_create(&thread, NULL, sleep_on, NULL);
	burst();
	mapped(MAPPED);
}

static void print_truth(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	printf("{\"faults\": %ld, \"major\": %ld}\n", usage.ru_minflt + usage.ru_majflt,
		usage.ru_majflt);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "burst")) {
		after_burst();
		print_truth();
		return 7;
	}
	if (argc > 1) {
		mapped(1);
		after_exec(AFTER_EXEC);
		print_truth();
		return 7;
	}
	mapped(1);
	allocated(1);
	of_a_file(1);
	again(1);
	on_the_stack(1);
	run_thread(1);
	in_the_kernel(1);
	mapped(MAPPED);
	allocated(ALLOCATED);
	of_a_file(OF_A_FILE);
	again(AGAIN);
	on_the_stack(STACK);
	run_thread(IN_A_THREAD);
	in_the_kernel(IN_THE_KERNEL);
	execl("/proc/self/exe", argv[0], "after", NULL);
	target_fail("exec");
	return 1;
}
