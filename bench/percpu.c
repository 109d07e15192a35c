/*
 * The other way to stop threads from their own CPU: one tracer pinned to each CPU, that seizes for each
 * stop only. At each tick it stops every runnable thread that was last on its CPU, gets the registers,
 * copies the stack and lets go, and nothing else. Prints how long those pauses were, as JSON.
 *
 *     percpu -p PID [-r RATE]
 *
 * It is no faster than one tracer that moves between the CPUs (bench/run --only tracers), and it has to
 * guess births, ends and execs between two ticks from /proc. So sprof keeps its threads seized.
 *
 * New threads, exec and exit it sees by looking into /proc, ten times a second. Says "ready", ends with
 * the target.
 */
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	NS_PER_S = 1000000000,
	MAX_THREADS = 1024,
	MAX_PAUSES = 1 << 20,
	COPY = 16 * 1024,
	LIST_AGE_NS = NS_PER_S / 10,
	RAISED_NICE = -15,
	SHORT_SLICE_NS = 100 * 1000,
};

static pid_t target;
static long rate = 99;

struct tracee {
	pid_t tid;
	int stat; /* its file */
};

struct tracer {
	int cpu;
	pthread_t thread;
	struct tracee tracees[MAX_THREADS];
	size_t count;
	uint64_t listed_ns;
	uint32_t pauses[MAX_PAUSES];
	size_t pause_count;
	uint8_t copy[COPY];
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static bool is_known(const struct tracer *tracer, pid_t tid)
{
	for (size_t i = 0; i < tracer->count; i++) {
		if (tracer->tracees[i].tid == tid)
			return true;
	}
	return false;
}

static void add(struct tracer *tracer, const char *name)
{
	pid_t tid = (pid_t)strtol(name, NULL, 10);
	char path[96];
	int fd;

	if (!tid || tracer->count == MAX_THREADS || is_known(tracer, tid))
		return;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", target, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		tracer->tracees[tracer->count++] = (struct tracee){tid, fd};
}

static void list(struct tracer *tracer, uint64_t now)
{
	struct dirent *entry;
	char path[64];
	DIR *folder;

	if (tracer->listed_ns && now < tracer->listed_ns + LIST_AGE_NS)
		return;
	tracer->listed_ns = now;
	snprintf(path, sizeof(path), "/proc/%d/task", target);
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		add(tracer, entry->d_name);
	if (folder)
		closedir(folder);
}

/* Runnable, and last on this CPU (proc(5), stat: fields 3 and 39). */
static bool is_ours(const struct tracer *tracer, const struct tracee *tracee)
{
	char text[1024], *at;
	ssize_t length = pread(tracee->stat, text, sizeof(text) - 1, 0);

	if (length <= 0)
		return false;
	text[length] = '\0';
	at = strrchr(text, ')');
	if (!at || at[2] != 'R')
		return false;
	for (int field = 2; field < 39 && at; field++)
		at = strchr(at + 1, ' ');
	return at && atoi(at) == tracer->cpu;
}

static void finish_stop(struct tracer *tracer, pid_t tid, uint64_t begin)
{
	struct user_regs_struct regs;
	struct iovec vector = {.iov_base = &regs, .iov_len = sizeof(regs)};
	struct iovec local = {.iov_base = tracer->copy, .iov_len = COPY}, remote = local;
	int status;

	if (waitpid(tid, &status, __WALL | __WNOTHREAD) != tid || !WIFSTOPPED(status))
		return;
	ptrace(PTRACE_GETREGSET, tid, NT_PRSTATUS, &vector);
#if defined(__x86_64__)
	remote.iov_base = (void *)regs.rsp;
#else
	remote.iov_base = (void *)regs.sp;
#endif
	process_vm_readv(target, &local, 1, &remote, 1, 0);
	ptrace(PTRACE_DETACH, tid, 0, status >> 16 ? 0 : WSTOPSIG(status));
	if (tracer->pause_count < MAX_PAUSES)
		tracer->pauses[tracer->pause_count++] = (uint32_t)(now_ns() - begin);
}

static void tick(struct tracer *tracer)
{
	uint64_t begins[MAX_THREADS];
	pid_t asked[MAX_THREADS];
	size_t count = 0;

	list(tracer, now_ns());
	for (size_t i = 0; i < tracer->count; i++) {
		pid_t tid = tracer->tracees[i].tid;

		if (!is_ours(tracer, &tracer->tracees[i]) || ptrace(PTRACE_SEIZE, tid, 0, 0))
			continue;
		begins[count] = now_ns();
		ptrace(PTRACE_INTERRUPT, tid, 0, 0);
		asked[count++] = tid;
	}
	for (size_t i = 0; i < count; i++)
		finish_stop(tracer, asked[i], begins[i]);
}

/* sched_setattr(2): a thread that comes to a busy CPU waits for the other's slice, unless its own is short. */
static void settle(int cpu)
{
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attributes = {
		.size = sizeof(attributes),
		.nice = RAISED_NICE,
		.runtime = SHORT_SLICE_NS,
	};
	cpu_set_t there;

	CPU_ZERO(&there);
	CPU_SET((size_t)cpu, &there);
	sched_setaffinity(0, sizeof(there), &there);
	syscall(SYS_sched_setattr, 0, &attributes, 0);
}

static void *trace(void *data)
{
	struct tracer *tracer = data;
	uint64_t period = (uint64_t)(NS_PER_S / rate), deadline = now_ns();

	settle(tracer->cpu);
	while (!kill(target, 0)) {
		struct timespec at;

		deadline += period;
		if (deadline < now_ns())
			deadline = now_ns();
		at = (struct timespec){(time_t)(deadline / NS_PER_S), (long)(deadline % NS_PER_S)};
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		tick(tracer);
	}
	return NULL;
}

static int by_length(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

/* The pauses of all tracers, in the first one's room. */
static void print(struct tracer *const tracers[], size_t count)
{
	uint32_t *all = tracers[0]->pauses;
	size_t total = tracers[0]->pause_count;

	for (size_t i = 1; i < count; i++) {
		for (size_t k = 0; k < tracers[i]->pause_count && total < MAX_PAUSES; k++)
			all[total++] = tracers[i]->pauses[k];
	}
	qsort(all, total, sizeof(*all), by_length);
	total -= !!total;
	printf("{\"stops\": %zu, \"p50\": %u, \"p95\": %u, \"p99\": %u}\n", total + !!total,
		all[total / 2], all[total * 95 / 100], all[total * 99 / 100]);
}

int main(int argc, char *argv[])
{
	struct tracer *tracers[CPU_SETSIZE];
	size_t count = 0;
	cpu_set_t all;
	int letter;

	while ((letter = getopt(argc, argv, "p:r:")) > 0) {
		if (letter == 'p')
			target = (pid_t)strtol(optarg, NULL, 10);
		else
			rate = strtol(optarg, NULL, 10);
	}
	if (!target || rate <= 0 || sched_getaffinity(0, sizeof(all), &all))
		return 64;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET((size_t)cpu, &all))
			continue;
		tracers[count] = calloc(1, sizeof(*tracers[count]));
		if (!tracers[count])
			return 2;
		tracers[count]->cpu = cpu;
		if (pthread_create(&tracers[count]->thread, NULL, trace, tracers[count]))
			return 2;
		count++;
	}
	puts("ready");
	fflush(stdout);
	for (size_t i = 0; i < count; i++)
		pthread_join(tracers[i]->thread, NULL);
	print(tracers, count);
	return 0;
}
