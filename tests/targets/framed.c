/*
 * One thread for each of some blocking calls, made by a function whose CFA is told by the frame pointer, as
 * whole distributions build their C library: nothing but the frame pointer leads from there to the caller.
 * Built with frame pointers, and the calls are made here. Each wait is on top of a chain
 * worker > outer > middle > wait_*, and what lies between the frames is full of what other calls have left.
 *
 * The waits end when stdin closes (the nap, which begins anew each NAP_S, at its next end). Then one line of JSON says of each call what it
 * returned, and of the nap whether the kernel wrote what was left of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { LONG_S = 1000, NAP_S = 8, MEGABYTE = 1 << 20, SCRATCH = 512 };

struct waiter {
	pthread_t thread;
	int in, out; /* what the call waits on, what ends the wait */
	uint32_t word;
	struct timespec left;
	long result;
	atomic_bool has_returned, is_over;
};

struct kind {
	const char *name;
	void (*prepare)(struct waiter *waiter);
	long (*wait)(struct waiter *waiter);
	void (*end)(struct waiter *waiter);
};

/* Volatile, so that nothing about the way is known to the compiler. */
static volatile unsigned one = 1;
static char megabyte[MEGABYTE];

#if defined(__x86_64__)
/* The system call itself, in the frame of whoever makes it. */
static inline __attribute__((always_inline)) long raw(
	long number, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}
#else
#define raw(number, a, b, c, d, e, f) syscall(number, a, b, c, d, e, f)
#endif

/* Keeps the buffer, and what was there before. */
static inline __attribute__((always_inline)) void keep(const void *buffer)
{
	__asm__ volatile("" : : "r"(buffer) : "memory");
}

static MEASURED long wait_epoll(struct waiter *waiter)
{
	char scratch[SCRATCH];
	struct epoll_event event;

	keep(scratch);
	return raw(SYS_epoll_pwait, waiter->in, (long)&event, 1, -1, 0, 8);
}

static MEASURED long wait_poll(struct waiter *waiter)
{
	struct pollfd in = {.fd = waiter->in, .events = POLLIN};
	struct timespec timeout = {.tv_sec = LONG_S};
	char scratch[SCRATCH / 2];

	keep(scratch);
	return raw(SYS_ppoll, (long)&in, 1, (long)&timeout, 0, 0, 0);
}

static MEASURED long wait_futex(struct waiter *waiter)
{
	const struct timespec timeout = {.tv_sec = LONG_S};

	return raw(SYS_futex, (long)&waiter->word, 128, 0, (long)&timeout, 0, 0);
}

static MEASURED long wait_nap(struct waiter *waiter)
{
	const struct timespec length = {.tv_sec = NAP_S};
	char scratch[SCRATCH];
	long result;

	keep(scratch);
	do {
		result = raw(SYS_nanosleep, (long)&length, (long)&waiter->left, 0, 0, 0, 0);
	} while (!result && !atomic_load(&waiter->is_over));
	return result;
}

static MEASURED long wait_read(struct waiter *waiter)
{
	char bytes[SCRATCH];

	return raw(SYS_read, waiter->in, (long)bytes, sizeof(bytes), 0, 0, 0);
}

static MEASURED long wait_recv(struct waiter *waiter)
{
	char bytes[SCRATCH];

	return raw(SYS_recvfrom, waiter->in, (long)bytes, sizeof(bytes), 0, 0, 0);
}

/* As much as may be: the frame is larger at each visit, so no distance is known beforehand. */
static MEASURED long wait_with_alloca(struct waiter *waiter)
{
	char *bytes = __builtin_alloca(SCRATCH * (1 + one) + waiter->word);

	keep(bytes);
	return raw(SYS_read, waiter->in, (long)bytes, 1, 0, 0, 0);
}

/* A direct call: of two frames that fit a pointer's call, neither would be believed. */
static MEASURED long wait_below(struct waiter *waiter)
{
	long result = wait_with_alloca(waiter);

	keep(waiter);
	return result;
}

static MEASURED long wait_write(struct waiter *waiter)
{
	return raw(SYS_write, waiter->in, (long)megabyte, MEGABYTE, 0, 0, 0);
}

static MEASURED long wait_writev(struct waiter *waiter)
{
	struct iovec halves[] = {{megabyte, MEGABYTE / 2}, {megabyte + MEGABYTE / 2, MEGABYTE / 2}};

	return raw(SYS_writev, waiter->in, (long)halves, 2, 0, 0, 0);
}

static MEASURED long wait_send(struct waiter *waiter)
{
	return raw(SYS_sendto, waiter->in, (long)megabyte, MEGABYTE, 0, 0, 0);
}

/* What earlier calls leave behind: frames of the same shape, all over the stack. */
static MEASURED unsigned litter(unsigned depth)
{
	volatile unsigned here[4] = {depth};

	return depth ? litter(depth - 1) + here[depth % 4] : here[0];
}

static MEASURED long middle(const struct kind *kind, struct waiter *waiter)
{
	char scratch[SCRATCH];
	long result;

	keep(scratch);
	result = kind->wait(waiter);
	keep(scratch);
	return result;
}

static MEASURED long outer(const struct kind *kind, struct waiter *waiter)
{
	one = litter(64) ? 1 : 0;
	return middle(kind, waiter);
}

static void prepare_event(struct waiter *waiter)
{
	struct epoll_event event = {.events = EPOLLIN};

	waiter->out = eventfd(0, 0);
	waiter->in = epoll_create1(0);
	if (waiter->in < 0 || waiter->out < 0 ||
		epoll_ctl(waiter->in, EPOLL_CTL_ADD, waiter->out, &event))
		target_fail("epoll");
}

static void prepare_pipe(struct waiter *waiter)
{
	int ends[2];

	if (pipe(ends))
		target_fail("pipe");
	waiter->in = ends[0];
	waiter->out = ends[1];
}

static void prepare_pipe_to_write(struct waiter *waiter)
{
	prepare_pipe(waiter);
	waiter->word = (uint32_t)waiter->in;
	waiter->in = waiter->out;
	waiter->out = (int)waiter->word;
}

static void prepare_sockets(struct waiter *waiter)
{
	const struct timeval timeout = {.tv_sec = LONG_S};
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) ||
		setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) ||
		setsockopt(ends[0], SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)))
		target_fail("socketpair");
	waiter->in = ends[0];
	waiter->out = ends[1];
}

/* A terminal that echoes nothing and changes nothing. */
static void prepare_terminal(struct waiter *waiter)
{
	waiter->out = posix_openpt(O_RDWR | O_NOCTTY);
	if (waiter->out < 0 || grantpt(waiter->out) || unlockpt(waiter->out))
		target_fail("posix_openpt");
	waiter->in = open(ptsname(waiter->out), O_RDWR | O_NOCTTY);
	if (waiter->in < 0)
		target_fail("open a terminal");
}

static void prepare_nothing(struct waiter *waiter)
{
	waiter->left.tv_nsec = -1;
}

static void end_event(struct waiter *waiter)
{
	const uint64_t number = 1;

	if (write(waiter->out, &number, sizeof(number)) < 0)
		target_fail("eventfd");
}

static void end_read(struct waiter *waiter)
{
	if (write(waiter->out, "x", 1) < 0)
		target_fail("write");
}

static void end_futex(struct waiter *waiter)
{
	syscall(SYS_futex, &waiter->word, 129, 1, NULL, NULL, 0);
}

static void end_write(struct waiter *waiter)
{
	static char bytes[MEGABYTE];
	ssize_t got, all = 0;

	/* The whole megabyte, or what was written where that was less. */
	while (all < MEGABYTE && !atomic_load(&waiter->has_returned)) {
		struct pollfd in = {.fd = waiter->out, .events = POLLIN};

		if (poll(&in, 1, 10) <= 0)
			continue;
		got = read(waiter->out, bytes, sizeof(bytes));
		if (got <= 0)
			target_fail("read");
		all += got;
	}
}

static void end_nap(struct waiter *waiter)
{
	atomic_store(&waiter->is_over, true);
}

static const struct kind kinds[] = {
	{"epoll", prepare_event, wait_epoll, end_event},
	{"poll", prepare_pipe, wait_poll, end_read},
	{"futex", prepare_nothing, wait_futex, end_futex},
	{"nap", prepare_nothing, wait_nap, end_nap},
	{"read", prepare_pipe, wait_read, end_read},
	{"recv", prepare_sockets, wait_recv, end_read},
	{"alloca", prepare_pipe, wait_below, end_read},
	{"write", prepare_pipe_to_write, wait_write, end_write},
	{"writev", prepare_pipe_to_write, wait_writev, end_write},
	{"send", prepare_sockets, wait_send, end_write},
	{"terminal", prepare_terminal, wait_write, end_write},
};

enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

static struct waiter waiters[KINDS];

static MEASURED void *worker(void *data)
{
	const struct kind *kind = data;
	struct waiter *waiter = &waiters[kind - kinds];

	prctl(PR_SET_NAME, kind->name);
	waiter->result = outer(kind, waiter);
	atomic_store(&waiter->has_returned, true);
	return NULL;
}

static void print_results(void)
{
	char line[2048] = "{";
	size_t length = 1;

	for (int i = 0; i < KINDS; i++) {
		bool left = kinds[i].wait == wait_nap && waiters[i].left.tv_nsec != -1;

		length += (size_t)snprintf(line + length, sizeof(line) - length, "%s\"%s\": %ld",
			i ? ", " : "", kinds[i].name, left ? -1000 : waiters[i].result);
	}
	target_print("%s}", line);
}

int main(int argc, char *argv[])
{
	target_init(&argc, argv);
	for (int i = 0; i < KINDS; i++) {
		kinds[i].prepare(&waiters[i]);
		if (pthread_create(&waiters[i].thread, NULL, worker, (void *)&kinds[i]))
			target_fail("pthread_create");
	}
	target_ready("%d %d", (int)getpid(), KINDS);
	target_wait_for_end();
	for (int i = 0; i < KINDS; i++)
		kinds[i].end(&waiters[i]);
	for (int i = 0; i < KINDS; i++)
		pthread_join(waiters[i].thread, NULL);
	print_results();
	return 0;
}
