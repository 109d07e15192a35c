/*
 * Threads that compute, or wait for known things, in functions of known names: `blocked KIND SECONDS`. Every
 * thread measures by its own clock how long it was in each of its functions, and the program prints
 * that at its end, so that a busy machine moves the truth and not the verdict. No cycle is near a small
 * multiple or part of 10 ms, so that none keeps step with the samples.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define MS 1000000u

enum { PARTS = 3, THREADS = 4 };

/* What a thread does over and over, and how long each took in all. */
struct role {
	const char *name;
	struct part {
		const char *name;
		void (*body)(void);
		uint64_t ns;
	} parts[PARTS];
	uint64_t cpu_ns, unheld_ns;
	pid_t tid;
	pthread_t thread;
};

static struct turns {
	pthread_mutex_t lock;
	uint64_t released_ns;
} cache_lock = {PTHREAD_MUTEX_INITIALIZER, 0}, *turns = &cache_lock;
static _Thread_local uint64_t unheld_ns; /* waited for a lock that nobody had */
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t item_ready = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static int items, slow_pipe[2], file = -1, zeros = -1;
static uint64_t end_ns;
static volatile uint64_t sink;

static void nap_ns(uint64_t ns)
{
	const struct timespec time = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	nanosleep(&time, NULL);
}

/* From the unlock until the one that waits has woken and runs, nobody has the lock. */
static void count_unheld(uint64_t wait_began)
{
	unheld_ns += target_now_ns() -
		(turns->released_ns > wait_began ? turns->released_ns : wait_began);
}

/*
 * Two threads take turns with a lock: one has it 70 % of the time, the other the rest. The turns are
 * long, because on a virtual machine timers expire late and together: the end of a turn is often in a
 * tick, which then sees the lock between two owners. A mutex is not fair: without the second nap, who
 * gives it back often has it again at once.
 */
static MEASURED void long_waits(void)
{
	uint64_t began = target_now_ns();

	pthread_mutex_lock(&turns->lock);
	count_unheld(began);
}

static MEASURED void long_work(void)
{
	nap_ns(307 * MS);
	turns->released_ns = target_now_ns();
	pthread_mutex_unlock(&turns->lock);
	nap_ns(4 * MS / 10);
}

static MEASURED void short_waits(void)
{
	uint64_t began = target_now_ns();

	pthread_mutex_lock(&turns->lock);
	count_unheld(began);
}

static MEASURED void short_work(void)
{
	nap_ns(131 * MS);
	turns->released_ns = target_now_ns();
	pthread_mutex_unlock(&turns->lock);
	nap_ns(4 * MS / 10);
}

static MEASURED void produce_item(void)
{
	nap_ns(8 * MS);
	pthread_mutex_lock(&queue_lock);
	items++;
	pthread_cond_signal(&item_ready);
	pthread_mutex_unlock(&queue_lock);
}

static MEASURED void take_item(void)
{
	pthread_mutex_lock(&queue_lock);
	while (!items)
		pthread_cond_wait(&item_ready, &queue_lock);
	items = 0;
	pthread_mutex_unlock(&queue_lock);
}

static MEASURED void eat_item(void)
{
	nap_ns(26 * MS / 10);
}

static MEASURED void rewrite_table(void)
{
	pthread_rwlock_wrlock(&table_lock);
	nap_ns(12 * MS);
	pthread_rwlock_unlock(&table_lock);
}

static MEASURED void writer_rests(void)
{
	nap_ns(5 * MS);
}

static MEASURED void read_table(void)
{
	pthread_rwlock_rdlock(&table_lock);
	pthread_rwlock_unlock(&table_lock);
}

static MEASURED void reader_rests(void)
{
	nap_ns(2 * MS);
}

static inline void compute_ns(uint64_t ns)
{
	uint64_t until = target_now_ns() + ns, x = sink;

	while (target_now_ns() < until) {
		for (int i = 0; i < 2000; i++)
			x = x * 6364136223846793005u + 1;
	}
	sink = x;
}

static MEASURED void spin(void)
{
	compute_ns(5 * MS);
}

static MEASURED void spin_longer(void)
{
	compute_ns(87 * MS / 10);
}

/* The kernel clears memory, which is all it does. It stops early when the thread is stopped. */
static inline void call_ns(uint64_t ns)
{
	static char buffer[256 * 1024];
	uint64_t until = target_now_ns() + ns;

	while (target_now_ns() < until) {
		if (read(zeros, buffer, sizeof(buffer)) <= 0)
			target_fail("read /dev/zero");
	}
}

static MEASURED void call(void)
{
	call_ns(5 * MS);
}

static MEASURED void call_longer(void)
{
	call_ns(87 * MS / 10);
}

static MEASURED void sleep_well(void)
{
	nap_ns(87 * MS / 10);
}

static MEASURED void drip(void)
{
	nap_ns(25 * MS);
	if (write(slow_pipe[1], "x", 1) != 1)
		target_fail("write to the pipe");
}

static MEASURED void read_pipe(void)
{
	char byte;

	if (read(slow_pipe[0], &byte, 1) != 1)
		target_fail("read from the pipe");
}

static MEASURED void sync_file(void)
{
	if (pwrite(file, "x", 1, 0) != 1 || fsync(file) != 0)
		target_fail("fsync");
}

/* A stack of a size that is not known before: its frames hang on the frame pointer. */
static MEASURED void nap_shortly(void)
{
	volatile char *room = __builtin_alloca(sink % 64 + 64);

	room[0] = 1;
	nap_ns(MS / 10);
	sink += (uint64_t)room[0];
}

static MEASURED void poll_shortly(void)
{
	const struct timespec time = {.tv_nsec = MS / 10};
	volatile char *room = __builtin_alloca(sink % 64 + 64);

	room[0] = 1;
	ppoll(NULL, 0, &time, NULL);
	sink += (uint64_t)room[0];
}

static MEASURED void spin_shortly(void)
{
	compute_ns(MS / 10);
}

static struct role user_roles[THREADS] = {
	{"spinner", {{"spin", spin}, {"spin_longer", spin_longer}}}};
static struct role calls_roles[THREADS] = {
	{"caller", {{"call", call}, {"call_longer", call_longer}}}};
static struct role sleep_roles[THREADS] = {
	{"sleeper", {{"sleep_well", sleep_well}, {"writer_rests", writer_rests}}}};
static struct role hops_roles[THREADS] = {{"hopper",
	{{"nap_shortly", nap_shortly}, {"poll_shortly", poll_shortly},
		{"spin_shortly", spin_shortly}}}};
static struct role mutex_roles[THREADS] = {
	{"long", {{"long_waits", long_waits}, {"long_work", long_work}}},
	{"short", {{"short_waits", short_waits}, {"short_work", short_work}}},
};
static struct role child_mutex_roles[THREADS] = {
	{"child-long", {{"long_waits", long_waits}, {"long_work", long_work}}},
	{"child-short", {{"short_waits", short_waits}, {"short_work", short_work}}},
};
static struct role long_roles[THREADS] = {
	{"long", {{"long_waits", long_waits}, {"long_work", long_work}}}};
static struct role short_roles[THREADS] = {
	{"short", {{"short_waits", short_waits}, {"short_work", short_work}}}};
static struct role condition_roles[THREADS] = {
	{"producer", {{"produce_item", produce_item}}},
	{"consumer", {{"take_item", take_item}, {"eat_item", eat_item}}},
};
static struct role rwlock_roles[THREADS] = {
	{"writer", {{"rewrite_table", rewrite_table}, {"writer_rests", writer_rests}}},
	{"reader-1", {{"read_table", read_table}, {"reader_rests", reader_rests}}},
	{"reader-2", {{"read_table", read_table}, {"reader_rests", reader_rests}}},
};
static struct role crowd_roles[THREADS] = {
	{"crowd-1", {{"spin", spin}}},
	{"crowd-2", {{"spin", spin}}},
	{"crowd-3", {{"spin", spin}}},
	{"crowd-4", {{"spin", spin}}},
};
static struct role pipe_roles[THREADS] = {
	{"dripper", {{"drip", drip}}},
	{"reader", {{"read_pipe", read_pipe}}},
};
static struct role fsync_roles[THREADS] = {{"syncer", {{"sync_file", sync_file}}}};
static struct role mix_roles[THREADS] = {
	{"worker", {{"spin", spin}, {"reader_rests", reader_rests}, {"eat_item", eat_item}}},
	{"syncer", {{"sync_file", sync_file}, {"writer_rests", writer_rests}}},
};

static const struct kind {
	const char *name;
	struct role *roles, *child_roles; /* the latter are played by a forked child */
} kinds[] = {
	{"user", user_roles},
	{"calls", calls_roles},
	{"sleep", sleep_roles},
	{"hops", hops_roles},
	{"mutex", mutex_roles},
	{"workers", mutex_roles, child_mutex_roles},
	{"shared", short_roles, long_roles},
	{"condition", condition_roles},
	{"rwlock", rwlock_roles},
	{"crowd", crowd_roles},
	{"pipe", pipe_roles},
	{"fsync", fsync_roles},
	{"mix", mix_roles},
};

static uint64_t own_cpu_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static void *play(void *data)
{
	struct role *role = data;
	uint64_t now = target_now_ns();

	prctl(PR_SET_NAME, role->name);
	role->tid = gettid();
	while (now < end_ns) {
		for (int i = 0; i < PARTS && role->parts[i].body; i++) {
			uint64_t begin = now;

			role->parts[i].body();
			now = target_now_ns();
			role->parts[i].ns += now - begin;
		}
	}
	role->cpu_ns = own_cpu_ns();
	role->unheld_ns = unheld_ns;
	return NULL;
}

/* Half of the crowd would have a CPU each, if it were alone. */
static void stay_on_two_cpus(void)
{
	cpu_set_t allowed, two;
	int count = 0;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	CPU_ZERO(&two);
	for (int cpu = 0; cpu < CPU_SETSIZE && count < 2; cpu++) {
		if (CPU_ISSET(cpu, &allowed)) {
			CPU_SET(cpu, &two);
			count++;
		}
	}
	sched_setaffinity(0, sizeof(two), &two);
}

static size_t print_role(char *text, size_t size, const struct role *role, const char *comma)
{
	size_t used = (size_t)snprintf(text, size, "%s\"%s\": {\"tid\": %d, \"cpu_ns\": %llu",
		comma, role->name, role->tid, (unsigned long long)role->cpu_ns);

	used += (size_t)snprintf(text + used, size - used, ", \"unheld_ns\": %llu",
		(unsigned long long)role->unheld_ns);
	for (int i = 0; i < PARTS && role->parts[i].body; i++)
		used += (size_t)snprintf(text + used, size - used, ", \"%s\": %llu",
			role->parts[i].name, (unsigned long long)role->parts[i].ns);
	return used + (size_t)snprintf(text + used, size - used, "}");
}

static void print_truth(const struct role *roles)
{
	struct rusage usage;
	size_t used = 0;
	char text[4000];

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		target_fail("getrusage");
	for (int i = 0; i < THREADS && roles[i].name; i++)
		used += print_role(text + used, sizeof(text) - used, &roles[i], i ? ", " : "");
	target_print("{%s, \"user_us\": %lld, \"sys_us\": %lld}", text,
		usage.ru_utime.tv_sec * 1000000ll + usage.ru_utime.tv_usec,
		usage.ru_stime.tv_sec * 1000000ll + usage.ru_stime.tv_usec);
}

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	}
	target_fail("no such kind");
}

/* The lock is one that two processes have together. */
static void share_turns(void)
{
	pthread_mutexattr_t attributes;

	turns = mmap(
		NULL, sizeof(*turns), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (turns == MAP_FAILED || pthread_mutexattr_init(&attributes) ||
		pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED) ||
		pthread_mutex_init(&turns->lock, &attributes))
		target_fail("a shared mutex");
}

static void begin(struct role *roles)
{
	for (int i = 0; i < THREADS && roles[i].name; i++) {
		if (pthread_create(&roles[i].thread, NULL, play, &roles[i]))
			target_fail("pthread_create");
	}
}

static void end(struct role *roles)
{
	for (int i = 0; i < THREADS && roles[i].name; i++) {
		/* Who waits for what comes no more would wait for ever. */
		if (i && (roles == condition_roles || roles == pipe_roles)) {
			produce_item();
			drip();
		}
		pthread_join(roles[i].thread, NULL);
	}
	print_truth(roles);
}

static pid_t fork_child(struct role *roles)
{
	pid_t child = fork();

	if (child < 0)
		target_fail("fork");
	if (child)
		return child;
	begin(roles);
	end(roles);
	_exit(0);
}

int main(int argc, char *argv[])
{
	const struct kind *kind;
	pid_t child = 0;

	target_init(&argc, argv);
	kind = find_kind(argc > 1 ? argv[1] : "mutex");
	if (kind->roles == crowd_roles)
		stay_on_two_cpus();
	if (kind->roles == short_roles)
		share_turns();
	file = open("synced.db", O_RDWR | O_CREAT, 0644);
	zeros = open("/dev/zero", O_RDONLY);
	if (pipe(slow_pipe) < 0 || file < 0 || zeros < 0)
		target_fail("pipe, synced.db, /dev/zero");
	end_ns = target_now_ns() + (uint64_t)target_number(argc, argv, 2, 5) * 1000000000u;
	if (kind->child_roles)
		child = fork_child(kind->child_roles);
	begin(kind->roles);
	target_ready("%d", (int)getpid());
	/* What the child prints comes first. */
	if (child)
		waitpid(child, NULL, 0);
	end(kind->roles);
	return 0;
}
