/*
 * The program that is profiled. It burns CPU at the bottom of a stack of a given depth and tells by its
 * own clock what that cost it: the time for a fixed amount of work, or the gaps in a loop on the clock.
 * Knows nothing of who watches it, so what it says does not have to be believed of a profiler.
 *
 *     target spin|work|gaps [-d DEPTH] [-t THREADS] [-b BUSY] [-c CPU] [-n AMOUNT] [-g NS]
 *
 * Says "ready PID", waits for a line or the end of stdin, and does AMOUNT: units of work, or ms
 * of gaps (0: until SIGTERM). Then it prints one line of JSON, and ends when stdin does. All but one of
 * THREADS sleep. BUSY threads do the AMOUNT of work each, and the last one's end counts. DEPTH counts every frame from _start on. Gaps count from NS on.
 */
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Not inlined, cloned or merged. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define BENCH_NOIPA __attribute__((noipa))
#else
#define BENCH_NOIPA __attribute__((noinline))
#endif

enum {
	MAX_GAPS = 1 << 20,
	MAX_BUSY = 1024,
	SHORT_NS = 400000, /* longer is a turn of another process, not a pause */
	NS_PER_MS = 1000000,
	NS_PER_S = 1000 * NS_PER_MS,
	OUTER_FRAMES = 5, /* _start, __libc_start_main and its callee, main, the bottom */
};

struct options {
	const char *mode;
	long depth, threads, busy, cpu, amount, gap_ns;
};

struct gaps {
	uint32_t *ns;
	size_t count;
	uint64_t lost, lost_in_short, longest, elapsed;
};

static volatile sig_atomic_t told_to_end;
static volatile uint64_t sink;

static void on_term(int signal)
{
	told_to_end = 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* One unit: some 10 us of arithmetic without a system call. */
static void burn(void)
{
	uint64_t x = sink;

	for (int i = 0; i < 10000; i++)
		x = x * 6364136223846793005u + 1;
	sink = x;
}

static void do_units(const struct options *options)
{
	for (long i = 0; i < options->amount; i++)
		burn();
}

static void *share(void *options);

static void work(const struct options *options)
{
	struct options shared = *options;
	pthread_t threads[MAX_BUSY];
	uint64_t begin = now_ns();

	shared.mode = "share";
	for (long i = 1; i < options->busy; i++) {
		if (pthread_create(&threads[i], NULL, share, &shared))
			exit(2);
	}
	do_units(options);
	for (long i = 1; i < options->busy; i++)
		pthread_join(threads[i], NULL);
	printf("{\"elapsed_ns\": %llu}\n", (unsigned long long)(now_ns() - begin));
}

static void collect_gaps(const struct options *options, struct gaps *gaps)
{
	uint64_t begin = now_ns(), last = begin;
	uint64_t end = options->amount ? begin + (uint64_t)options->amount * NS_PER_MS : UINT64_MAX;

	while (last < end && !told_to_end) {
		uint64_t now = now_ns(), gap = now - last;

		last = now;
		if (gap < (uint64_t)options->gap_ns)
			continue;
		gaps->lost += gap;
		if (gap < SHORT_NS)
			gaps->lost_in_short += gap;
		gaps->longest = gap > gaps->longest ? gap : gaps->longest;
		if (gaps->count < MAX_GAPS)
			gaps->ns[gaps->count++] = gap < UINT32_MAX ? (uint32_t)gap : UINT32_MAX;
	}
	gaps->elapsed = last - begin;
}

static int by_size(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

static unsigned quantile(const struct gaps *gaps, double fraction)
{
	return gaps->count ? gaps->ns[(size_t)(fraction * (double)(gaps->count - 1))] : 0;
}

static void measure_gaps(const struct options *options)
{
	struct gaps gaps = {.ns = malloc(MAX_GAPS * sizeof(*gaps.ns))};

	if (!gaps.ns)
		exit(2);
	/* No page fault of ours may look like a gap. */
	memset(gaps.ns, 1, MAX_GAPS * sizeof(*gaps.ns));
	collect_gaps(options, &gaps);
	qsort(gaps.ns, gaps.count, sizeof(*gaps.ns), by_size);
	printf("{\"elapsed_ns\": %llu, \"lost_ns\": %llu, \"short_ns\": %llu, \"gaps\": %zu, "
	       "\"p50\": %u, \"p95\": %u, \"p99\": %u, \"max\": %llu}\n",
		(unsigned long long)gaps.elapsed, (unsigned long long)gaps.lost,
		(unsigned long long)gaps.lost_in_short, gaps.count, quantile(&gaps, 0.5),
		quantile(&gaps, 0.95), quantile(&gaps, 0.99), (unsigned long long)gaps.longest);
	free(gaps.ns);
}

static void wait_for_line(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n')
		;
}

static BENCH_NOIPA void bottom(const struct options *options)
{
	if (!strcmp(options->mode, "share")) {
		do_units(options);
		return;
	}
	printf("ready %d\n", (int)getpid());
	fflush(stdout);
	if (!strcmp(options->mode, "spin")) {
		while (!told_to_end)
			burn();
		return;
	}
	wait_for_line();
	if (!strcmp(options->mode, "work"))
		work(options);
	else
		measure_gaps(options);
	fflush(stdout);
	wait_for_line();
}

/* Sixteen functions with frames of different sizes, so that the stack is not one row over and over. */
typedef long descent(const struct options *options, long levels);

static descent *const descents[16];

/* clang-format takes the calls, which have no semicolons, for one declaration. */
/* clang-format off */
#define DESCENT(n) \
	static BENCH_NOIPA long descend_##n(const struct options *options, long levels) \
	{ \
		volatile char frame[16 + 8 * n]; \
		long below = 0; \
\
		frame[0] = (char)levels; \
		if (levels > 1) \
			below = descents[(n + 5) % 16](options, levels - 1); \
		else \
			bottom(options); \
		return below + frame[0]; \
	}

DESCENT(0) DESCENT(1) DESCENT(2) DESCENT(3) DESCENT(4) DESCENT(5) DESCENT(6) DESCENT(7)
DESCENT(8) DESCENT(9) DESCENT(10) DESCENT(11) DESCENT(12) DESCENT(13) DESCENT(14) DESCENT(15)

static descent *const descents[16] = {descend_0, descend_1, descend_2, descend_3, descend_4,
	descend_5, descend_6, descend_7, descend_8, descend_9, descend_10, descend_11, descend_12,
	descend_13, descend_14, descend_15};
/* clang-format on */

/* Outermost are its own frame and those of the start of a thread. */
static void *share(void *data)
{
	const struct options *options = data;

	descents[0](options, options->depth - OUTER_FRAMES);
	return NULL;
}

static void *asleep(void *never)
{
	pthread_mutex_lock(never);
	return NULL;
}

static void start_sleepers(long count)
{
	static pthread_mutex_t never = PTHREAD_MUTEX_INITIALIZER;
	pthread_attr_t attr;
	pthread_t thread;

	pthread_mutex_lock(&never);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 * 1024);
	for (long i = 0; i < count; i++) {
		if (pthread_create(&thread, &attr, asleep, &never))
			exit(2);
	}
}

static void pin(long cpu)
{
	cpu_set_t there;

	CPU_ZERO(&there);
	CPU_SET((size_t)cpu, &there);
	if (sched_setaffinity(0, sizeof(there), &there))
		exit(2);
}

static void parse(int argc, char *argv[], struct options *options)
{
	int letter;

	while ((letter = getopt(argc, argv, "d:t:b:c:n:g:")) > 0) {
		long number = strtol(optarg, NULL, 10);

		switch (letter) {
		case 'd':
			options->depth = number;
			break;
		case 't':
			options->threads = number;
			break;
		case 'b':
			options->busy = number < MAX_BUSY ? number : MAX_BUSY;
			break;
		case 'c':
			options->cpu = number;
			break;
		case 'n':
			options->amount = number;
			break;
		case 'g':
			options->gap_ns = number;
			break;
		default:
			exit(64);
		}
	}
	options->mode = argv[optind];
}

int main(int argc, char *argv[])
{
	struct options options = {.depth = 10, .threads = 1, .cpu = -1, .gap_ns = 1000};

	parse(argc, argv, &options);
	if (!options.mode ||
		(strcmp(options.mode, "spin") && strcmp(options.mode, "work") &&
			strcmp(options.mode, "gaps")))
		return 64;
	signal(SIGTERM, on_term);
	if (options.cpu >= 0)
		pin(options.cpu);
	start_sleepers(options.threads - 1);
	return descents[0](&options, options.depth - OUTER_FRAMES) == LONG_MIN;
}
