/*
 * One thread for each way to block in a system call that a stop by ptrace could break off; each
 * loops over its call and a little computing, and counts how often the call failed with EINTR, or
 * otherwise. No signal handler is installed, so natively every count is 0. The calls without a
 * timeout are woken every few milliseconds by one more thread. Prints the counts as JSON when stdin
 * closes.
 *
 * signal(7), "Interruption of system calls and library functions by stop signals", names the calls
 * that fail with EINTR after a stop; the others are here because their restart is the kernel's
 * promise.
 *
 * With `kill` or `errno` the program has a seccomp filter that forbids restart_syscall(2), as programs have
 * that list the calls they make: natively it is never called here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

#define WAKE_SIGNAL (SIGRTMIN + 3)

/* in is what the call blocks on, out what wakes it; for one-sided objects they are the same. */
struct waiter {
	pthread_t thread;
	int in, out;
	uint32_t word;
	aio_context_t aio;
	atomic_ulong calls, interrupted, failed;
	atomic_int error; /* of the last failure */
};

/* call() returns a negative number and sets errno as the system call does. */
struct kind {
	const char *name;
	void (*prepare)(struct waiter *waiter);
	long (*call)(struct waiter *waiter);
	void (*wake)(struct waiter *waiter);
};

struct message {
	long type;
	char text[8];
};

static volatile uint64_t sink;
static atomic_bool finished;

static void prepare_eventfd(struct waiter *waiter)
{
	waiter->in = waiter->out = eventfd(0, 0);
	if (waiter->in < 0)
		target_fail("eventfd");
}

static void prepare_epoll(struct waiter *waiter)
{
	struct epoll_event event = {.events = EPOLLIN};

	waiter->out = eventfd(0, EFD_NONBLOCK);
	waiter->in = epoll_create1(0);
	if (waiter->out < 0 || waiter->in < 0 ||
		epoll_ctl(waiter->in, EPOLL_CTL_ADD, waiter->out, &event) < 0)
		target_fail("epoll");
}

static void prepare_pipe(struct waiter *waiter)
{
	int ends[2];

	if (pipe(ends) < 0)
		target_fail("pipe");
	waiter->in = ends[0];
	waiter->out = ends[1];
}

static void prepare_sockets(struct waiter *waiter)
{
	const struct timeval timeout = {.tv_usec = 5000};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0 ||
		setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		target_fail("socketpair");
	waiter->in = ends[0];
	waiter->out = ends[1];
}

static void prepare_semaphore(struct waiter *waiter)
{
	waiter->in = waiter->out = semget(IPC_PRIVATE, 1, 0600);
	if (waiter->in < 0)
		target_fail("semget");
}

static void prepare_queue(struct waiter *waiter)
{
	waiter->in = waiter->out = msgget(IPC_PRIVATE, 0600);
	if (waiter->in < 0)
		target_fail("msgget");
}

static void prepare_aio(struct waiter *waiter)
{
	if (syscall(SYS_io_setup, 1, &waiter->aio) < 0)
		target_fail("io_setup");
}

static void prepare_nothing(struct waiter *waiter)
{
	waiter->in = waiter->out = -1;
}

static void wake_eventfd(struct waiter *waiter)
{
	const uint64_t one = 1;

	if (write(waiter->out, &one, sizeof(one)) < 0 && errno != EAGAIN)
		target_fail("wake an eventfd");
}

static void wake_pipe(struct waiter *waiter)
{
	if (write(waiter->out, "x", 1) < 0)
		target_fail("wake a pipe");
}

static void wake_semaphore(struct waiter *waiter)
{
	struct sembuf post = {.sem_op = 1};

	if (semop(waiter->out, &post, 1) < 0)
		target_fail("wake a semaphore");
}

static void wake_queue(struct waiter *waiter)
{
	const struct message message = {.type = 1};

	if (msgsnd(waiter->out, &message, sizeof(message.text), IPC_NOWAIT) < 0 && errno != EAGAIN)
		target_fail("wake a queue");
}

static void wake_by_signal(struct waiter *waiter)
{
	pthread_kill(waiter->thread, WAKE_SIGNAL);
}

static long drained(struct waiter *waiter, long result)
{
	uint64_t value;

	if (result > 0 && read(waiter->out, &value, sizeof(value)) < 0 && errno != EAGAIN)
		return -1;
	return result;
}

static long call_epoll_wait(struct waiter *waiter)
{
	struct epoll_event event;

	return drained(waiter, epoll_wait(waiter->in, &event, 1, -1));
}

static long call_epoll_wait_timeout(struct waiter *waiter)
{
	struct epoll_event event;

	return epoll_wait(waiter->in, &event, 1, 4);
}

static long call_epoll_pwait(struct waiter *waiter)
{
	struct epoll_event event;
	sigset_t mask;

	sigfillset(&mask);
	return drained(waiter, epoll_pwait(waiter->in, &event, 1, 1000, &mask));
}

static long call_poll(struct waiter *waiter)
{
	struct pollfd in = {.fd = waiter->in, .events = POLLIN};
	char byte;

	return poll(&in, 1, -1) < 0 ? -1 : read(waiter->in, &byte, 1);
}

static long call_poll_timeout(struct waiter *waiter)
{
	return poll(NULL, 0, 3);
}

static long call_ppoll(struct waiter *waiter)
{
	const struct timespec timeout = {.tv_nsec = 3500000};

	return ppoll(NULL, 0, &timeout, NULL);
}

static long call_select(struct waiter *waiter)
{
	struct timeval timeout = {.tv_usec = 4500};

	return select(0, NULL, NULL, NULL, &timeout);
}

static long call_semop(struct waiter *waiter)
{
	struct sembuf wait = {.sem_op = -1};

	return semop(waiter->in, &wait, 1);
}

static long call_semtimedop(struct waiter *waiter)
{
	const struct timespec timeout = {.tv_nsec = 4000000};
	struct sembuf wait = {.sem_op = -1};

	return semtimedop(waiter->in, &wait, 1, &timeout);
}

static long call_msgrcv(struct waiter *waiter)
{
	struct message message;

	return msgrcv(waiter->in, &message, sizeof(message.text), 0, 0);
}

static long call_sigwaitinfo(struct waiter *waiter)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, WAKE_SIGNAL);
	return sigwaitinfo(&set, NULL);
}

static long call_sigtimedwait(struct waiter *waiter)
{
	const struct timespec timeout = {.tv_nsec = 4000000};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, WAKE_SIGNAL);
	return sigtimedwait(&set, NULL, &timeout);
}

static long call_recv(struct waiter *waiter)
{
	char byte;

	return recv(waiter->in, &byte, 1, 0);
}

static long call_read(struct waiter *waiter)
{
	char bytes[8];

	return read(waiter->in, bytes, sizeof(bytes));
}

static long call_nanosleep(struct waiter *waiter)
{
	const struct timespec length = {.tv_nsec = 2500000};

	return nanosleep(&length, NULL);
}

static long call_futex(struct waiter *waiter)
{
	const struct timespec timeout = {.tv_nsec = 3000000};

	return syscall(SYS_futex, &waiter->word, FUTEX_WAIT_PRIVATE, 0, &timeout, NULL, 0);
}

static long call_io_getevents(struct waiter *waiter)
{
	struct timespec timeout = {.tv_nsec = 5000000};
	struct io_event event;

	return syscall(SYS_io_getevents, waiter->aio, 1, 1, &event, &timeout);
}

static long call_preadv2(struct waiter *waiter)
{
	char byte;
	struct iovec place = {.iov_base = &byte, .iov_len = 1};

	return preadv2(waiter->in, &place, 1, -1, 0);
}

/* Into a pipe that nobody reads, from a socket that nobody writes to. */
static long call_splice(struct waiter *waiter)
{
	static int ends[2] = {-1, -1};

	if (ends[1] < 0 && pipe2(ends, O_CLOEXEC) < 0)
		target_fail("pipe2");
	return splice(waiter->in, NULL, ends[1], NULL, 1, 0);
}

/* Where rings are forbidden, something else that takes its time. */
static void prepare_ring(struct waiter *waiter)
{
	struct io_uring_params parameters = {0};

	waiter->in = (int)syscall(SYS_io_uring_setup, 4, &parameters);
}

static long call_io_uring_enter(struct waiter *waiter)
{
	struct __kernel_timespec timeout = {.tv_nsec = 4000000};
	struct io_uring_getevents_arg argument = {.ts = (uint64_t)(uintptr_t)&timeout};

	if (waiter->in < 0)
		return call_nanosleep(waiter);
	return syscall(SYS_io_uring_enter, waiter->in, 0, 1,
		IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument, sizeof(argument));
}

static const struct kind kinds[] = {
	{"epoll_wait", prepare_epoll, call_epoll_wait, wake_eventfd},
	{"epoll_wait_timeout", prepare_epoll, call_epoll_wait_timeout, NULL},
	{"epoll_pwait", prepare_epoll, call_epoll_pwait, wake_eventfd},
	{"poll", prepare_pipe, call_poll, wake_pipe},
	{"poll_timeout", prepare_nothing, call_poll_timeout, NULL},
	{"ppoll", prepare_nothing, call_ppoll, NULL},
	{"select", prepare_nothing, call_select, NULL},
	{"semop", prepare_semaphore, call_semop, wake_semaphore},
	{"semtimedop", prepare_semaphore, call_semtimedop, NULL},
	{"msgrcv", prepare_queue, call_msgrcv, wake_queue},
	{"sigwaitinfo", prepare_nothing, call_sigwaitinfo, wake_by_signal},
	{"sigtimedwait", prepare_nothing, call_sigtimedwait, NULL},
	{"recv", prepare_sockets, call_recv, wake_pipe},
	{"recv_timeout", prepare_sockets, call_recv, NULL},
	{"preadv2_timeout", prepare_sockets, call_preadv2, NULL},
	{"splice_timeout", prepare_sockets, call_splice, NULL},
	{"io_uring_enter", prepare_ring, call_io_uring_enter, NULL},
	{"read_pipe", prepare_pipe, call_read, wake_pipe},
	{"read_eventfd", prepare_eventfd, call_read, wake_eventfd},
	{"nanosleep", prepare_nothing, call_nanosleep, NULL},
	{"futex", prepare_nothing, call_futex, NULL},
	{"io_getevents", prepare_aio, call_io_getevents, NULL},
};

#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static struct waiter waiters[KINDS];

static void compute(void)
{
	uint64_t x = sink;

	for (int i = 0; i < 20000; i++)
		x = x * 6364136223846793005u + 1;
	sink = x;
}

/* A timeout is an answer; EAGAIN, ETIME and ETIMEDOUT are how the calls say it. */
static void count_result(struct waiter *waiter, long result)
{
	const int error = result < 0 ? errno : 0;

	atomic_fetch_add(&waiter->calls, 1);
	if (error == 0 || error == EAGAIN || error == ETIME || error == ETIMEDOUT)
		return;
	atomic_fetch_add(error == EINTR ? &waiter->interrupted : &waiter->failed, 1);
	atomic_store(&waiter->error, error);
}

static MEASURED void *wait_in(void *data)
{
	const size_t index = (size_t)(uintptr_t)data;

	for (;;) {
		compute();
		count_result(&waiters[index], kinds[index].call(&waiters[index]));
	}
	return NULL;
}

static MEASURED void *wake_all(void *unused)
{
	const struct timespec nap = {.tv_nsec = 3000000};

	while (!atomic_load(&finished)) {
		clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
		for (size_t i = 0; i < KINDS; i++) {
			if (kinds[i].wake != NULL)
				kinds[i].wake(&waiters[i]);
		}
	}
	return unused;
}

static pthread_t start_all(void)
{
	pthread_t waker;
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, WAKE_SIGNAL);
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	for (size_t i = 0; i < KINDS; i++) {
		kinds[i].prepare(&waiters[i]);
		if (pthread_create(&waiters[i].thread, NULL, wait_in, (void *)i) != 0)
			target_fail("pthread_create");
	}
	if (pthread_create(&waker, NULL, wake_all, NULL) != 0)
		target_fail("pthread_create");
	return waker;
}

/* System V objects outlive their process. */
static void remove_objects(void)
{
	for (size_t i = 0; i < KINDS; i++) {
		if (kinds[i].prepare == prepare_semaphore)
			semctl(waiters[i].in, 0, IPC_RMID);
		else if (kinds[i].prepare == prepare_queue)
			msgctl(waiters[i].in, IPC_RMID, NULL);
	}
}

static void print_counts(void)
{
	char text[4000];
	size_t length = 0;

	for (size_t i = 0; i < KINDS; i++)
		length += (size_t)snprintf(&text[length], sizeof(text) - length,
			"%s\"%s\": {\"calls\": %lu, \"eintr\": %lu, \"failed\": %lu, \"errno\": "
			"%d}",
			i == 0 ? "{" : ", ", kinds[i].name, waiters[i].calls,
			waiters[i].interrupted, waiters[i].failed, waiters[i].error);
	target_print("%s}", text);
}

static void forbid_restart(uint32_t action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_restart_syscall, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(code) / sizeof(code[0]), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		target_fail("PR_SET_SECCOMP");
}

int main(int argc, char *argv[])
{
	pthread_t waker;

	target_init(&argc, argv);
	if (argc > 1 && !strcmp(argv[1], "kill"))
		forbid_restart(SECCOMP_RET_KILL_PROCESS);
	else if (argc > 1 && !strcmp(argv[1], "errno"))
		forbid_restart(SECCOMP_RET_ERRNO | EACCES);
	waker = start_all();
	target_ready("%d", (int)getpid());
	target_wait_for_end();
	atomic_store(&finished, true);
	pthread_join(waker, NULL);
	print_counts();
	remove_objects();
	_exit(0); /* the threads are still in their calls, on objects that are gone */
}
