/*
 * Programs whose critical path is known: critical SHAPE [left-out function]. Each function naps a
 * known number of times; the names of the shapes and functions are at the end. At its end the
 * program prints, as JSON, how long it ran by its own clock, and how long each function took in all
 * threads together.
 */
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000 * 1000, ITEMS = 20, WORKERS = 8, TURNS = 4 };

static const char *left_out = "";

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void nap(long ms)
{
	const struct timespec time = {.tv_nsec = ms * MS};

	nanosleep(&time, NULL);
}

#define FUNCTION(name, ms) \
	static uint64_t name##_ns; \
	static void __attribute__((noinline)) name(void) \
	{ \
		const uint64_t begin_ns = now_ns(); \
\
		if (strcmp(left_out, #name) == 0) \
			return; \
		nap(ms); \
		__atomic_fetch_add(&name##_ns, now_ns() - begin_ns, __ATOMIC_RELAXED); \
	}

FUNCTION(load, 2)
FUNCTION(parse, 5)
FUNCTION(sort, 25)
FUNCTION(store, 12)
FUNCTION(guarded, 10)
FUNCTION(alone, 15)
FUNCTION(task_long, 500)
FUNCTION(task_short, 200)
FUNCTION(first_phase, 200)
FUNCTION(second_phase, 300)
FUNCTION(other_phase, 100)
FUNCTION(inner, 300)
FUNCTION(outer, 40)
FUNCTION(waiting, 60)
FUNCTION(serve, 15)
FUNCTION(ask, 5)

/* Busy by its thread's CPU time, so that it takes what it takes on any machine. */
static uint64_t burn_ns;

static void __attribute__((noinline)) burn(void)
{
	const uint64_t begin_ns = now_ns();
	struct timespec cpu;

	if (strcmp(left_out, "burn") == 0)
		return;
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
	while (cpu.tv_sec * 1000 + cpu.tv_nsec / MS < 500);
	burn_ns += now_ns() - begin_ns;
}

static pthread_t threads[WORKERS];

static void start(int number, void *(*function)(void *), const char *name)
{
	if (pthread_create(&threads[number], NULL, function, (void *)(intptr_t)number))
		abort();
	pthread_setname_np(threads[number], name);
}

static void join(int count)
{
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
}

static sem_t items[3];

static void *load_all(void *data)
{
	for (int i = 0; i < ITEMS; i++) {
		load();
		sem_post(&items[0]);
	}
	return NULL;
}

static void *parse_all(void *data)
{
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&items[0]);
		parse();
		sem_post(&items[1]);
	}
	return NULL;
}

static void *sort_all(void *data)
{
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&items[1]);
		sort();
		sem_post(&items[2]);
	}
	return NULL;
}

static void *store_all(void *data)
{
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&items[2]);
		store();
	}
	return NULL;
}

static void pipeline(void)
{
	for (int i = 0; i < 3; i++)
		sem_init(&items[i], 0, 0);
	start(0, load_all, "loader");
	start(1, parse_all, "parser");
	start(2, sort_all, "sorter");
	start(3, store_all, "storer");
	join(4);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *take_turns(void *data)
{
	for (int i = 0; i < TURNS; i++) {
		alone();
		pthread_mutex_lock(&lock);
		guarded();
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void locks(void)
{
	for (int i = 0; i < WORKERS; i++)
		start(i, take_turns, "worker");
	join(WORKERS);
}

static void *do_task(void *data)
{
	if ((intptr_t)data == 1)
		task_long();
	else
		task_short();
	return NULL;
}

static void fork_join(void)
{
	for (int i = 0; i < 4; i++)
		start(i, do_task, "worker");
	join(4);
}

static pthread_barrier_t barrier;

static void *do_phases(void *data)
{
	if ((intptr_t)data == 0)
		first_phase();
	else
		other_phase();
	pthread_barrier_wait(&barrier);
	if ((intptr_t)data == 2)
		second_phase();
	else
		other_phase();
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void phases(void)
{
	pthread_barrier_init(&barrier, NULL, 3);
	for (int i = 0; i < 3; i++)
		start(i, do_phases, "worker");
	join(3);
}

/* Holds the second lock for long. */
static void *hold_second(void *data)
{
	pthread_mutex_lock(&second);
	sem_post(&items[0]);
	inner();
	pthread_mutex_unlock(&second);
	return NULL;
}

/* Holds the first one, and waits for the second. */
static void *hold_both(void *data)
{
	pthread_mutex_lock(&lock);
	sem_post(&items[0]);
	pthread_mutex_lock(&second);
	outer();
	pthread_mutex_unlock(&second);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *wait_for_first(void *data)
{
	pthread_mutex_lock(&lock);
	waiting();
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void chain(void)
{
	sem_init(&items[0], 0, 0);
	start(0, hold_second, "holder");
	sem_wait(&items[0]);
	start(1, hold_both, "middle");
	sem_wait(&items[0]);
	start(2, wait_for_first, "waiter");
	join(3);
}

/* Another process answers over a socket. */
static void client_and_server(void)
{
	int ends[2];
	char byte = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		abort();
	if (!fork()) {
		close(ends[0]);
		pthread_setname_np(pthread_self(), "server");
		while (read(ends[1], &byte, 1) == 1) {
			serve();
			if (write(ends[1], &byte, 1) != 1)
				abort();
		}
		_exit(0);
	}
	close(ends[1]);
	for (int i = 0; i < ITEMS; i++) {
		ask();
		if (write(ends[0], &byte, 1) != 1 || read(ends[0], &byte, 1) != 1)
			abort();
	}
	close(ends[0]);
	wait(NULL);
}

/* Another thread answers over TCP. It waits for a further question when the program ends. */
static void *serve_tcp(void *data)
{
	const int socket = accept(*(int *)data, NULL, NULL);
	char byte;

	while (read(socket, &byte, 1) == 1) {
		serve();
		if (write(socket, &byte, 1) != 1)
			abort();
	}
	close(socket);
	return NULL;
}

static void tcp(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM, 0);
	const int client = socket(AF_INET, SOCK_STREAM, 0);
	char byte = 0;

	if (bind(listener, (struct sockaddr *)&address, size) || listen(listener, 1) ||
		getsockname(listener, (struct sockaddr *)&address, &size) ||
		connect(client, (struct sockaddr *)&address, size))
		abort();
	if (pthread_create(&threads[0], NULL, serve_tcp, &listener))
		abort();
	pthread_setname_np(threads[0], "server");
	pthread_detach(threads[0]);
	for (int i = 0; i < ITEMS; i++) {
		ask();
		if (write(client, &byte, 1) != 1 || read(client, &byte, 1) != 1)
			abort();
	}
	close(listener);
}

/* A child that works, and a parent that waits for its end. */
static void child(void)
{
	if (!fork()) {
		task_long();
		_exit(0);
	}
	wait(NULL);
}

static void *do_burn(void *data)
{
	burn();
	return NULL;
}

static void busy(void)
{
	start(0, do_burn, "burner");
	join(1);
}

/* Each lasts far less than a sample's period. */
static void *end_at_once(void *data)
{
	return NULL;
}

static void short_threads(void)
{
	for (int i = 0; i < 300; i++) {
		start(0, end_at_once, "short");
		join(1);
	}
	task_short();
}

/*
 * Two threads wake each other again and again, between two lines of stdin. Then none is born and
 * none ends, so that a tracer has nothing to do.
 */
static sem_t balls[2], over;

enum { BALLS = 500 * 1000 };

static void *pass_on(void *data)
{
	const intptr_t side = (intptr_t)data;

	for (int i = 0; i < BALLS; i++) {
		sem_wait(&balls[side]);
		sem_post(&balls[!side]);
	}
	sem_post(&over);
	return NULL;
}

static void turns(void)
{
	char line[8];

	sem_init(&balls[0], 0, 0);
	sem_init(&balls[1], 0, 0);
	start(0, pass_on, "ping");
	start(1, pass_on, "pong");
	puts("begin");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		abort();
	sem_post(&balls[0]);
	for (int i = 0; i < 2; i++)
		sem_wait(&over);
	puts("end");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		abort();
	join(2);
}

static void say(const char *name, uint64_t ns)
{
	if (ns)
		printf(",\"%s\":%llu", name, (unsigned long long)ns);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} shapes[] = {
		{"pipeline", pipeline},
		{"locks", locks},
		{"fork", fork_join},
		{"phases", phases},
		{"chain", chain},
		{"server", client_and_server},
		{"tcp", tcp},
		{"child", child},
		{"busy", busy},
		{"short", short_threads},
		{"turns", turns},
	};
	const uint64_t begin_ns = now_ns();

	if (argc > 2)
		left_out = argv[2];
	for (size_t i = 0; argc > 1 && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (strcmp(shapes[i].name, argv[1]) == 0)
			shapes[i].run();
	}
	printf("{\"length\":%llu", (unsigned long long)(now_ns() - begin_ns));
	say("load", load_ns);
	say("parse", parse_ns);
	say("sort", sort_ns);
	say("store", store_ns);
	say("guarded", guarded_ns);
	say("alone", alone_ns);
	say("task_long", task_long_ns);
	say("task_short", task_short_ns);
	say("first_phase", first_phase_ns);
	say("second_phase", second_phase_ns);
	say("other_phase", other_phase_ns);
	say("inner", inner_ns);
	say("outer", outer_ns);
	say("waiting", waiting_ns);
	say("serve", serve_ns);
	say("ask", ask_ns);
	say("burn", burn_ns);
	printf("}\n");
	return 0;
}
