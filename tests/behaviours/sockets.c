/*
 * Sockets with a time-out (SO_RCVTIMEO, SO_SNDTIMEO), of which the kernel restarts no call: how
 * often each was broken off or failed, and that none came back too soon.
 */
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum {
	WAIT_MS = 16 /* some of the kernel's ticks, in which it counts these time-outs */
};

/*
 * What is left of a time-out is whole ticks: a wait that a stop hits at its very begin, and that
 * then goes on, may lack the rest of the first one. Another may be missing on a virtual machine,
 * where ticks are late.
 */
static int repeat(wait_function *wait)
{
	struct timespec tick;

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return count_waits(wait, WAIT_MS * INT64_C(1000000) - 2 * tick.tv_nsec);
}

static void limit_socket(int fd)
{
	const struct timeval timeout = {.tv_usec = WAIT_MS * 1000};

	MUST(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) == 0);
	MUST(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout)) == 0);
}

static int accept_once(void)
{
	static int fd = -1;

	if (fd < 0) {
		struct sockaddr_un address = {.sun_family = AF_UNIX};

		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		MUST(bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t)) == 0);
		MUST(listen(fd, 1) == 0);
		limit_socket(fd);
	}
	return accept(fd, NULL, NULL);
}

static int full_socket(void)
{
	static int ends[2] = {-1, -1};
	static char block[1 << 16];

	if (ends[0] < 0) {
		MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
		limit_socket(ends[0]);
		limit_socket(ends[1]);
		while (send(ends[0], block, sizeof(block), MSG_DONTWAIT) > 0)
			;
	}
	return (int)send(ends[0], block, 1, 0);
}

/* Nothing ever comes there. */
static int silent_socket(void)
{
	static int ends[2] = {-1, -1};

	if (ends[0] < 0) {
		MUST(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
		limit_socket(ends[0]);
	}
	return ends[0];
}

static int receive_once(void)
{
	char byte;

	return (int)recv(silent_socket(), &byte, 1, 0);
}

static int read_with_a_time_out(void)
{
	char byte;

	return (int)read(silent_socket(), &byte, 1);
}

static int accepts(void)
{
	return repeat(accept_once);
}

static int full_sockets(void)
{
	return repeat(full_socket);
}

static int receives(void)
{
	return repeat(receive_once);
}

static int socket_reads(void)
{
	return repeat(read_with_a_time_out);
}

const struct behaviour socket_behaviours[] = {
	{"accepts", accepts},
	{"full-sockets", full_sockets},
	{"receives", receives},
	{"socket-reads", socket_reads},
	{NULL, NULL},
};
