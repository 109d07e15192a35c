/*
 * Allocates known numbers of objects of known sizes, by functions of their own, and ends with 7.
 *
 *     keep        KEPT objects of 100 bytes, which stay
 *     temporary   TEMPORARY objects of 1000 bytes, each freed at once
 *     peak        PEAK objects of 4000 bytes, all held, then all freed
 *     resize      one object, grown in RESIZED steps of 1000 bytes, then freed
 *     aligned     two objects of 512 bytes by each of posix_memalign, aligned_alloc and memalign; one of each stays
 *     zero        calloc of 10 x 30 bytes, realloc to nothing, free(NULL), a calloc that fails
 *
 * With "threads": THREADS threads keep and hand objects over, which another one frees. "fork": a child frees
 * what it has inherited and leaves CHILD objects of 10 bytes. "exec": becomes itself with the words that
 * follow. "jump": a signal handler leaves an allocator's caller by longjmp. "hold": waits for the
 * test's word, and frees what it had before.
 *
 * What it holds back: after each burst of calls it sleeps, because events are written down faster than they
 * are read.
 */
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum {
	KEPT = 50,
	TEMPORARY = 100,
	PEAK = 60,
	RESIZED = 20,
	THREADS = 3,
	HANDED = 40,
	CHILD = 5,
	BURST = 10,
	PAUSE_NS = 5 * 1000 * 1000,
};

static void *volatile sink;
static void *held[PEAK];

static void pause_after(int calls)
{
	const struct timespec time = {.tv_nsec = PAUSE_NS};

	if (calls % BURST == 0)
		nanosleep(&time, NULL);
}

MEASURED static void keep(void)
{
	for (int i = 1; i <= KEPT; i++) {
		sink = malloc(100);
		pause_after(i);
	}
}

MEASURED static void make_temporary(void)
{
	for (int i = 1; i <= TEMPORARY; i++) {
		sink = malloc(1000);
		free(sink);
		pause_after(i);
	}
}

MEASURED static void make_peak(void)
{
	for (int i = 0; i < PEAK; i++) {
		held[i] = malloc(4000);
		pause_after(i);
	}
	for (int i = 0; i < PEAK; i++) {
		free(held[i]);
		pause_after(i);
	}
}

MEASURED static void resize(void)
{
	sink = NULL;
	for (int i = 1; i <= RESIZED; i++)
		sink = realloc(sink, (size_t)i * 1000);
	free(sink);
	pause_after(0);
}

MEASURED static void align(void)
{
	for (int i = 0; i < 2; i++) {
		void *memory = NULL;

		if (posix_memalign(&memory, 64, 512))
			target_fail("posix_memalign");
		sink = memory;
		if (i)
			free(sink);
		sink = aligned_alloc(128, 512);
		if (i)
			free(sink);
		sink = memalign(256, 512);
		if (i)
			free(sink);
	}
	pause_after(0);
}

MEASURED static void make_nothing(void)
{
	volatile size_t zero = 0, much = SIZE_MAX / 2;

	sink = calloc(10, 30);
	sink = realloc(sink, zero);
	free(sink);
	sink = NULL;
	free(sink);
	sink = calloc(much, 4);
	pause_after(0);
}

static pthread_barrier_t handed_over;
static void *handed[THREADS][HANDED];

MEASURED static void hand_over(void **objects)
{
	for (int i = 0; i < HANDED; i++) {
		objects[i] = malloc(200);
		pause_after(i);
	}
}

static void *run_thread(void *data)
{
	const size_t number = (size_t)data;

	keep();
	hand_over(handed[number]);
	pthread_barrier_wait(&handed_over);
	for (int i = 0; i < HANDED; i++) {
		free(handed[(number + 1) % THREADS][i]);
		pause_after(i);
	}
	return NULL;
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&handed_over, NULL, THREADS);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run_thread, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

MEASURED static void leave_in_child(void)
{
	for (int i = 0; i < CHILD; i++)
		sink = malloc(10);
}

static void run_child(void)
{
	pid_t child;

	sink = malloc(300);
	child = fork();

	if (!child) {
		free(sink);
		leave_in_child();
		exit(0);
	}
	waitpid(child, NULL, 0);
	free(sink);
}

static jmp_buf before;

static void jump(int number)
{
	longjmp(before, 1);
}

/* Left through a signal handler, between two calls of malloc. */
static void run_jump(void)
{
	for (volatile int i = 0; i < KEPT; i++) {
		sink = malloc(20);
		if (!setjmp(before)) {
			signal(SIGUSR1, jump);
			raise(SIGUSR1);
		}
		free(sink);
		pause_after(i);
	}
}

/* What it had before can't be known to who comes now. */
static void hold(void)
{
	sink = malloc(50);
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	free(sink);
}

static void run_all(void)
{
	keep();
	make_temporary();
	make_peak();
	resize();
	align();
	make_nothing();
}

int main(int argc, char *argv[])
{
	const char *word;

	target_init(&argc, argv);
	word = argc > 1 ? argv[1] : "";
	if (!strcmp(word, "exec")) {
		keep();
		execv(argv[0], argv + 1);
		target_fail("execv");
	}
	if (!strcmp(word, "hold"))
		hold();
	if (!strcmp(word, "threads"))
		run_threads();
	else if (!strcmp(word, "fork"))
		run_child();
	else if (!strcmp(word, "jump"))
		run_jump();
	else
		run_all();
	return 7;
}
