/*
 * The floor under every profiler that stops its target: seize once, then interrupt, wait, get the
 * registers and continue, and nothing else. Prints how long those pauses were, as JSON.
 *
 *     floor -p PID [-c CPU] [-r RATE] [-d SECONDS]
 *
 * Pinned to CPU it shows what it matters where the tracer runs. The wait is a blocking waitpid, the
 * nice level the highest that is permitted, as sprof's. Says "ready" when the target is seized;
 * ends with the target or after SECONDS.
 */
#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000, MAX_STOPS = 1 << 20, RAISED_NICE = -15 };

struct options {
	pid_t pid;
	long cpu, rate;
	double seconds;
};

struct pauses {
	uint32_t *ns;
	size_t count;
	uint64_t total;
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t deadline)
{
	struct timespec at = {
		.tv_sec = (time_t)(deadline / NS_PER_S),
		.tv_nsec = (long)(deadline % NS_PER_S),
	};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

/* One pause; false: the target is gone. */
static bool stop_once(pid_t pid, uint64_t *ret_ns)
{
	struct user_regs_struct regs;
	struct iovec vector = {.iov_base = &regs, .iov_len = sizeof(regs)};
	uint64_t begin = now_ns();
	int status, signal;

	if (ptrace(PTRACE_INTERRUPT, pid, 0, 0) || waitpid(pid, &status, __WALL) != pid ||
		!WIFSTOPPED(status))
		return false;
	ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &vector);
	signal = status >> 16 ? 0 : WSTOPSIG(status);
	ptrace(PTRACE_CONT, pid, 0, signal);
	*ret_ns = now_ns() - begin;
	return true;
}

static void take(const struct options *options, struct pauses *pauses)
{
	uint64_t period = (uint64_t)(NS_PER_S / options->rate), deadline = now_ns();
	uint64_t end = options->seconds > 0 ? deadline + (uint64_t)(options->seconds * NS_PER_S)
					    : UINT64_MAX;
	uint64_t ns;

	while (deadline < end && pauses->count < MAX_STOPS) {
		deadline += period;
		sleep_until(deadline);
		if (!stop_once(options->pid, &ns))
			return;
		pauses->ns[pauses->count++] = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
		pauses->total += ns;
		/* What was missed is left out, not made up for. */
		if (now_ns() > deadline + period)
			deadline = now_ns();
	}
}

static int by_length(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

static unsigned quantile(const struct pauses *pauses, double fraction)
{
	return pauses->count ? pauses->ns[(size_t)(fraction * (double)(pauses->count - 1))] : 0;
}

static void print(struct pauses *pauses)
{
	qsort(pauses->ns, pauses->count, sizeof(*pauses->ns), by_length);
	printf("{\"stops\": %zu, \"total\": %llu, \"p50\": %u, \"p95\": %u, \"p99\": %u, \"max\": "
	       "%u}\n",
		pauses->count, (unsigned long long)pauses->total, quantile(pauses, 0.5),
		quantile(pauses, 0.95), quantile(pauses, 0.99), quantile(pauses, 1));
}

static void settle_on(long cpu)
{
	cpu_set_t there;

	CPU_ZERO(&there);
	if (cpu >= 0) {
		CPU_SET((size_t)cpu, &there);
		if (sched_setaffinity(0, sizeof(there), &there))
			exit(2);
	}
	setpriority(PRIO_PROCESS, 0, RAISED_NICE);
}

static void parse(int argc, char *argv[], struct options *options)
{
	int letter;

	while ((letter = getopt(argc, argv, "p:c:r:d:")) > 0) {
		switch (letter) {
		case 'p':
			options->pid = (pid_t)strtol(optarg, NULL, 10);
			break;
		case 'c':
			options->cpu = strtol(optarg, NULL, 10);
			break;
		case 'r':
			options->rate = strtol(optarg, NULL, 10);
			break;
		case 'd':
			options->seconds = strtod(optarg, NULL);
			break;
		default:
			exit(64);
		}
	}
}

int main(int argc, char *argv[])
{
	struct options options = {.cpu = -1, .rate = 99};
	struct pauses pauses = {.ns = malloc(MAX_STOPS * sizeof(*pauses.ns))};

	parse(argc, argv, &options);
	if (options.pid <= 0 || options.rate <= 0 || !pauses.ns)
		return 64;
	memset(pauses.ns, 0, MAX_STOPS * sizeof(*pauses.ns));
	settle_on(options.cpu);
	if (ptrace(PTRACE_SEIZE, options.pid, 0, 0)) {
		perror("floor: PTRACE_SEIZE");
		return 2;
	}
	printf("ready\n");
	fflush(stdout);
	take(&options, &pauses);
	print(&pauses);
	free(pauses.ns);
	return 0;
}
