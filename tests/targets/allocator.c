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
 * With "threads": THREADS threads keep and hand objects over, which another one frees. "swap": threads exchange
 * objects as fast as they can. "fork": a child frees what it has inherited and leaves CHILD objects of 10 bytes.
 * "exec": becomes itself with the words that follow. "jump": a signal handler leaves an allocator's caller by
 * longjmp. "loop": each millisecond keeps one object and makes one temporary until the test's word; and frees some
 * that it had before.
 *
 * After each burst of calls it sleeps, because events are written down faster than they are read.
 */
#include <malloc.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
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
	OLDER = 5000, /* one is freed each 10 ms, for longer than any test takes */
	RESIZED = 20,
	THREADS = 3,
	HANDED = 40,
	CHILD = 5,
	SWAPS = 1000,
	SLOTS = 4,
	BURST = 10,
	PAUSE_NS = 5 * 1000 * 1000,
};

static void *volatile sink;
static void *held[PEAK];
static void *older[OLDER];

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

static _Atomic(void *) slots[SLOTS];

/* Every third object is resized; all are freed by whoever finds them. */
MEASURED static void *swap(void *data)
{
	unsigned random = (unsigned)(size_t)data;

	for (int i = 0; i < SWAPS; i++) {
		void *object;

		random = random * 1103515245 + 12345;
		object = malloc(16 + (random >> 20) % 500);
		if ((random >> 8) % 3 == 0)
			object = realloc(object, 16 + (random >> 12) % 2000);
		free(atomic_exchange(&slots[(random >> 16) % SLOTS], object));
	}
	return NULL;
}

static void run_swaps(void)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, swap, (void *)i);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
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

MEASURED static void keep_one(void)
{
	sink = malloc(100);
}

MEASURED static void make_one_temporary(void)
{
	sink = malloc(1000);
	free(sink);
}

/* What it had before can't be known to who comes now. */
static void loop(void)
{
	struct pollfd end = {.fd = STDIN_FILENO, .events = POLLIN};

	for (int i = 0; i < OLDER; i++)
		older[i] = malloc(50);
	target_ready("%d", (int)getpid());
	for (int i = 0; !poll(&end, 1, 1); i++) {
		keep_one();
		make_one_temporary();
		if (i % 10 == 0 && i / 10 < OLDER)
			free(older[i / 10]);
	}
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
	if (!strcmp(word, "loop"))
		loop();
	else if (!strcmp(word, "threads"))
		run_threads();
	else if (!strcmp(word, "swap"))
		run_swaps();
	else if (!strcmp(word, "fork"))
		run_child();
	else if (!strcmp(word, "jump"))
		run_jump();
	else
		run_all();
	return 7;
}
