/*
 * Makes known numbers of system calls.
 *
 *     syscalls            counted calls of each kind, then ends
 *     syscalls loop       two threads: one naps and calls, one sleeps in epoll_wait(2), which must not
 *                         return; until stdin closes
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum {
	PARENTS = 1000,
	BAD_CLOSES = 50,
	BAD_OPENS = 20,
	NAPS = 30,
	THREADS = 4,
	YIELDS = 200,
	CHILDREN = 3,
	USERS = 100,
	ROUNDS = 200,
	RESTARTS = 10,
	INTERRUPTS = 5
};

static void nap(long ns)
{
	const struct timespec time = {.tv_nsec = ns};

	syscall(SYS_nanosleep, &time, NULL);
}

static void *yield(void *data)
{
	for (int i = 0; i < YIELDS; i++)
		sched_yield();
	return NULL;
}

static void count_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, yield, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void count_children(void)
{
	for (int i = 0; i < CHILDREN; i++) {
		pid_t child = fork();

		if (!child) {
			for (int k = 0; k < USERS; k++)
				syscall(SYS_getuid);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
}

static int alarms;
static int pipe_ends[2];

/* What the interrupted read waits for comes with the last signal only. */
static void on_alarm(int number)
{
	if (++alarms == RESTARTS && write(pipe_ends[1], "x", 1) != 1)
		target_fail("write");
}

static void set_alarms(int flags, long us)
{
	struct sigaction action = {.sa_handler = on_alarm, .sa_flags = flags};
	const struct itimerval timer = {{0, us}, {0, us}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
}

/* One call for the program, however often it is restarted. */
static void count_restarts(void)
{
	char byte;

	if (pipe(pipe_ends))
		target_fail("pipe");
	set_alarms(SA_RESTART, 5000);
	if (syscall(SYS_readv, pipe_ends[0], &(struct {
		    void *base;
		    size_t size;
	    }){&byte, 1},
		    1) != 1)
		target_fail("a read that must be restarted");
	set_alarms(SA_RESTART, 0);
}

static void count_interrupts(void)
{
	struct timespec time = {.tv_sec = 10};

	alarms = RESTARTS;
	set_alarms(0, 5000);
	for (int i = 0; i < INTERRUPTS; i++) {
		if (syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &time, NULL) != -1 ||
			errno != EINTR)
			target_fail("a sleep that must be interrupted");
	}
	set_alarms(0, 0);
}

static void *echo(void *data)
{
	const int *ends = data;
	char byte;

	for (int i = 0; i < ROUNDS; i++) {
		if (syscall(SYS_dup, -1) != -1 || recv(ends[1], &byte, 1, 0) != 1 ||
			send(ends[1], &byte, 1, 0) != 1)
			target_fail("echo");
	}
	return NULL;
}

static void count_rounds(void)
{
	pthread_t thread;
	int ends[2];
	char byte = 'x';

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		target_fail("socketpair");
	pthread_create(&thread, NULL, echo, ends);
	for (int i = 0; i < ROUNDS; i++) {
		if (send(ends[0], &byte, 1, 0) != 1 || recv(ends[0], &byte, 1, 0) != 1)
			target_fail("round");
	}
	pthread_join(thread, NULL);
}

static int count(void)
{
	for (int i = 0; i < PARENTS; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < BAD_CLOSES; i++)
		close(-1);
	for (int i = 0; i < BAD_OPENS; i++)
		open("/does/not/exist", O_RDONLY);
	for (int i = 0; i < NAPS; i++)
		nap(1000000);
	count_threads();
	count_children();
	count_restarts();
	count_interrupts();
	count_rounds();
	return 7;
}

static void *sleep_for_ever(void *data)
{
	struct epoll_event event;
	int poll = epoll_create1(0);

	epoll_wait(poll, &event, 1, -1);
	target_fail("epoll_wait returned");
}

static void *work(void *data)
{
	for (;;) {
		nap(2000000);
		for (int i = 0; i < 10; i++)
			syscall(SYS_getppid);
	}
	return NULL;
}

static int loop(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, sleep_for_ever, NULL);
	pthread_create(&threads[1], NULL, work, NULL);
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	return 0;
}

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	return argc > 1 && strcmp(argv[1], "loop") == 0 ? loop() : count();
}
