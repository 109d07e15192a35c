/*
 * One thread for each system call with a long time-out, and for those that end by an event of another
 * kind: a wake-up, a file, a child, a signal. Each computes a little, blocks, and counts how often the
 * call failed, and how much later than its time-out it came back at worst. Prints the counts as JSON
 * when stdin closes.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { TIMEOUT_MS = 250, NS_PER_MS = 1000000 };

static const struct timespec timeout = {.tv_nsec = TIMEOUT_MS * NS_PER_MS};

struct waiter {
	pthread_t thread;
	int fd;
	atomic_uint word;
	aio_context_t aio;
	atomic_ulong calls, interrupted, failed, latest_us;
};

struct kind {
	const char *name;
	long (*call)(struct waiter *waiter);
	void (*wake)(struct waiter *waiter); /* NULL: it ends by its time-out */
};

static volatile uint64_t sink;
static atomic_bool finished;
static atomic_ulong handled;
static char watched[] = "/tmp/patience-XXXXXX";

static void on_signal(int signal)
{
	atomic_fetch_add(&handled, 1);
}

static long call_epoll_wait(struct waiter *waiter)
{
	struct epoll_event event;

	if (!waiter->fd)
		waiter->fd = epoll_create1(0);
	return epoll_wait(waiter->fd, &event, 1, TIMEOUT_MS);
}

static long call_epoll_pwait(struct waiter *waiter)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	if (!waiter->fd)
		waiter->fd = epoll_create1(0);
	return epoll_pwait(waiter->fd, &event, 1, TIMEOUT_MS, &none);
}

static long call_semtimedop(struct waiter *waiter)
{
	struct sembuf wait = {.sem_op = -1};

	return semtimedop(waiter->fd, &wait, 1, &timeout);
}

static long call_sigtimedwait(struct waiter *waiter)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &timeout);
}

static long call_io_getevents(struct waiter *waiter)
{
	struct timespec copy = timeout;
	struct io_event event;

	if (!waiter->aio && syscall(SYS_io_setup, 1, &waiter->aio))
		return 0;
	return syscall(SYS_io_getevents, waiter->aio, 1, 1, &event, &copy);
}

static int timed_socket(void)
{
	const struct timeval value = {.tv_usec = TIMEOUT_MS * 1000};
	const struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) ||
		listen(fd, 1) || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof(value)))
		target_fail("socket");
	return fd;
}

static long call_accept(struct waiter *waiter)
{
	if (!waiter->fd)
		waiter->fd = timed_socket();
	return accept(waiter->fd, NULL, NULL);
}

static long call_recv(struct waiter *waiter)
{
	const struct timeval value = {.tv_usec = TIMEOUT_MS * 1000};
	int ends[2];
	char byte;

	if (!waiter->fd) {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
			setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &value, sizeof(value)))
			target_fail("socketpair");
		waiter->fd = ends[0];
	}
	return recv(waiter->fd, &byte, 1, 0);
}

static long call_poll(struct waiter *waiter)
{
	return poll(NULL, 0, TIMEOUT_MS);
}

static long call_select(struct waiter *waiter)
{
	struct timeval value = {.tv_usec = TIMEOUT_MS * 1000};

	return select(0, NULL, NULL, NULL, &value);
}

static long call_nanosleep(struct waiter *waiter)
{
	return nanosleep(&timeout, NULL);
}

static long call_futex(struct waiter *waiter)
{
	return syscall(SYS_futex, &waiter->word, FUTEX_WAIT_PRIVATE, 0, &timeout, NULL, 0);
}

static long call_futex_endless(struct waiter *waiter)
{
	unsigned seen = atomic_load(&waiter->word);

	return syscall(SYS_futex, &waiter->word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void wake_futex(struct waiter *waiter)
{
	atomic_fetch_add(&waiter->word, 1);
	syscall(SYS_futex, &waiter->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static long call_inotify(struct waiter *waiter)
{
	char events[4096];

	return read(waiter->fd, events, sizeof(events));
}

static void wake_inotify(struct waiter *waiter)
{
	int fd = open(watched, O_WRONLY);

	if (fd < 0 && atomic_load(&finished))
		return;
	if (fd < 0 || write(fd, "x", 1) != 1)
		target_fail("write the watched file");
	close(fd);
}

static long call_wait4(struct waiter *waiter)
{
	pid_t child = fork();

	if (!child) {
		nanosleep(&timeout, NULL);
		_exit(0);
	}
	return waitpid(child, NULL, 0) == child ? 0 : -1;
}

/* Only a handler may end it. */
static long call_pause(struct waiter *waiter)
{
	unsigned long before = atomic_load(&handled);

	pause();
	errno = EINTR;
	return atomic_load(&handled) == before ? -1 : 0;
}

static void wake_pause(struct waiter *waiter)
{
	pthread_kill(waiter->thread, SIGUSR1);
}

static const struct kind kinds[] = {
	{"epoll_wait", call_epoll_wait, NULL},
	{"epoll_pwait", call_epoll_pwait, NULL},
	{"semtimedop", call_semtimedop, NULL},
	{"sigtimedwait", call_sigtimedwait, NULL},
	{"io_getevents", call_io_getevents, NULL},
	{"accept", call_accept, NULL},
	{"recv", call_recv, NULL},
	{"poll", call_poll, NULL},
	{"select", call_select, NULL},
	{"nanosleep", call_nanosleep, NULL},
	{"futex", call_futex, NULL},
	{"wait4", call_wait4, NULL},
	{"futex_endless", call_futex_endless, wake_futex},
	{"inotify", call_inotify, wake_inotify},
	{"pause", call_pause, wake_pause},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct waiter waiters[KINDS];

static void compute(void)
{
	uint64_t x = sink;

	for (int i = 0; i < 100000; i++)
		x = x * 6364136223846793005u + 1;
	sink = x;
}

static void count(struct waiter *waiter, long result, uint64_t elapsed_ns, bool timed)
{
	const int error = result < 0 ? errno : 0;
	uint64_t late_us =
		elapsed_ns / 1000 > TIMEOUT_MS * 1000 ? elapsed_ns / 1000 - TIMEOUT_MS * 1000 : 0;

	atomic_fetch_add(&waiter->calls, 1);
	if (timed && late_us > waiter->latest_us)
		atomic_store(&waiter->latest_us, late_us);
	/* It came back before its time, or with an answer that nobody gave. */
	if (timed && (result > 0 || elapsed_ns < (TIMEOUT_MS - 1) * (uint64_t)NS_PER_MS) &&
		error != EINTR)
		atomic_fetch_add(&waiter->failed, 1);
	if (error == 0 || error == EAGAIN || error == ETIMEDOUT)
		return;
	atomic_fetch_add(error == EINTR ? &waiter->interrupted : &waiter->failed, 1);
}

static MEASURED void *wait_in(void *data)
{
	const size_t index = (size_t)(uintptr_t)data;

	while (!atomic_load(&finished)) {
		uint64_t begin;
		long result;

		compute();
		begin = target_now_ns();
		result = kinds[index].call(&waiters[index]);
		count(&waiters[index], result, target_now_ns() - begin, !kinds[index].wake);
	}
	return NULL;
}

static void prepare(struct waiter *waiter, const struct kind *kind)
{
	if (kind->call == call_semtimedop)
		waiter->fd = semget(IPC_PRIVATE, 1, 0600);
	if (kind->call != call_inotify)
		return;
	close(mkstemp(watched));
	waiter->fd = inotify_init();
	if (inotify_add_watch(waiter->fd, watched, IN_MODIFY) < 0)
		target_fail("inotify");
}

static void start_all(void)
{
	struct sigaction action = {.sa_handler = on_signal};
	sigset_t blocked;

	sigaction(SIGUSR1, &action, NULL);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR2);
	for (size_t i = 0; i < KINDS; i++) {
		/* Only the pausing thread gets its signal. */
		if (kinds[i].call != call_pause)
			sigaddset(&blocked, SIGUSR1);
		else
			sigdelset(&blocked, SIGUSR1);
		pthread_sigmask(SIG_SETMASK, &blocked, NULL);
		prepare(&waiters[i], &kinds[i]);
		if (pthread_create(&waiters[i].thread, NULL, wait_in, (void *)i))
			target_fail("pthread_create");
	}
}

static MEASURED void *wake_all(void *unused)
{
	const struct timespec nap = {.tv_nsec = 7 * NS_PER_MS};

	while (!atomic_load(&finished)) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
		for (size_t i = 0; i < KINDS; i++) {
			if (kinds[i].wake)
				kinds[i].wake(&waiters[i]);
		}
	}
	return unused;
}

static void print_counts(void)
{
	char text[4000];
	size_t length = 0;

	for (size_t i = 0; i < KINDS; i++)
		length += (size_t)snprintf(&text[length], sizeof(text) - length,
			"%s\"%s\": {\"calls\": %lu, \"eintr\": %lu, \"failed\": %lu, \"late_us\": %lu}",
			i == 0 ? "{" : ", ", kinds[i].name, waiters[i].calls,
			waiters[i].interrupted, waiters[i].failed, waiters[i].latest_us);
	target_print("%s}", text);
}

int main(int argc, char *argv[])
{
	pthread_t waker;

	target_init(&argc, argv);
	start_all();
	if (pthread_create(&waker, NULL, wake_all, NULL))
		target_fail("pthread_create");
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	print_counts();
	atomic_store(&finished, true);
	unlink(watched);
	for (size_t i = 0; i < KINDS; i++) {
		if (kinds[i].call == call_semtimedop)
			semctl(waiters[i].fd, 0, IPC_RMID);
	}
	_exit(0);
}
