/*
 * Calls that fill a large buffer, from a child that takes its time or from a device that never ends:
 * whether each has filled all of it, and with what.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum {
	ROUNDS = 12,
	WHOLE = 1 << 18,
	CHUNK = 16384,
	MESSAGES = 256,
	DATAGRAM = 64,
};

static char bytes[WHOLE];
static int ends[2]; /* the child's, the program's */

static void fill(void)
{
	for (size_t i = 0; i < WHOLE; i++)
		bytes[i] = (char)(i * i >> 7);
}

static int write_all(void)
{
	close(ends[1]);
	for (int i = 0; i < ROUNDS; i++) {
		for (size_t sum = 0; sum < WHOLE; sum += CHUNK) {
			MUST(write(ends[0], bytes + sum, CHUNK) == CHUNK);
			burn_us(30);
		}
	}
	return 0;
}

static ssize_t recv_once(char *got)
{
	return recv(ends[1], got, WHOLE, MSG_WAITALL);
}

static ssize_t recvmsg_once(char *got)
{
	struct iovec vector[] = {{got, WHOLE / 8}, {got + WHOLE / 8, WHOLE - WHOLE / 8}};
	struct msghdr message = {.msg_iov = vector, .msg_iovlen = 2};

	return recvmsg(ends[1], &message, MSG_WAITALL);
}

static int receive(ssize_t (*call)(char *got))
{
	static char got[WHOLE];
	int whole = 0, right = 0;
	pid_t child;

	fill();
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	child = child_of(write_all);
	close(ends[0]);
	for (int i = 0; i < ROUNDS; i++) {
		whole += call(got) == WHOLE;
		right += memcmp(got, bytes, WHOLE) == 0;
	}
	target_print("%d whole, %d right, then %zd, child: %s", whole, right, call(got),
		status_text(reap(child)));
	return 0;
}

static int receives_of_all(void)
{
	return receive(recv_once);
}

static int recvmsgs_of_all(void)
{
	return receive(recvmsg_once);
}

static int answer(void)
{
	char request;

	close(ends[1]);
	while (recv(ends[0], &request, 1, 0) == 1 && request)
		MUST(send(ends[0], bytes, CHUNK, 0) == CHUNK);
	return 0;
}

/* MSG_WAITALL means nothing there: each message is a whole answer, however large the buffer. */
static int receives_of_messages(void)
{
	static char got[WHOLE];
	char request = 1;
	int whole = 0;
	pid_t child;

	MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
	child = child_of(answer);
	close(ends[0]);
	for (int i = 0; i < 100 * ROUNDS; i++) {
		MUST(send(ends[1], &request, 1, 0) == 1);
		whole += recv(ends[1], got, sizeof(got), MSG_WAITALL) == CHUNK;
	}
	request = 0;
	MUST(send(ends[1], &request, 1, 0) == 1);
	target_print("%d whole, child: %s", whole, status_text(reap(child)));
	return 0;
}

static void make_messages(struct mmsghdr *messages, struct iovec *vector)
{
	for (size_t i = 0; i < MESSAGES; i++) {
		vector[i] = (struct iovec){bytes + i * DATAGRAM, DATAGRAM};
		messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &vector[i], .msg_iovlen = 1}};
	}
}

static int receive_messages(void)
{
	static struct mmsghdr messages[MESSAGES];
	static struct iovec vector[MESSAGES];
	int sum = 0;

	memset(bytes, 0, sizeof(bytes));
	make_messages(messages, vector);
	for (int i = 0; i < ROUNDS; i++) {
		sum += recvmmsg(ends[0], messages, MESSAGES, 0, NULL);
		burn_us(300);
	}
	target_print("received %d", sum);
	return 0;
}

/* Both the program and the child are sampled. */
static int many_messages(void)
{
	static struct mmsghdr messages[MESSAGES];
	static struct iovec vector[MESSAGES];
	int sum = 0;
	pid_t child;

	MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
	child = child_of(receive_messages);
	make_messages(messages, vector);
	for (int i = 0; i < ROUNDS; i++)
		sum += sendmmsg(ends[1], messages, MESSAGES, 0);
	target_print("sent %d, child: %s", sum, status_text(reap(child)));
	return 0;
}

static int random_bytes(void)
{
	enum { SIZE = 3 << 20 };
	char *got = malloc(SIZE);
	int whole = 0;

	MUST(got != NULL);
	for (int i = 0; i < ROUNDS; i++)
		whole += getrandom(got, SIZE, 0) == SIZE;
	target_print("%d whole", whole);
	free(got);
	return 0;
}

enum { MUCH = 3 << 20 };

static ssize_t read_much(int fd, char *got)
{
	return read(fd, got, MUCH);
}

static ssize_t pread_much(int fd, char *got)
{
	return pread(fd, got, MUCH, 0);
}

static ssize_t readv_much(int fd, char *got)
{
	const struct iovec vector[] = {{got, 1 << 20}, {got + (1 << 20), MUCH - (1 << 20)}};

	return readv(fd, vector, 2);
}

static ssize_t preadv_much(int fd, char *got)
{
	const struct iovec vector[] = {{got, 1 << 20}, {got + (1 << 20), MUCH - (1 << 20)}};

	return preadv(fd, vector, 2, 0);
}

static ssize_t preadv2_much(int fd, char *got)
{
	const struct iovec vector[] = {{got, 1 << 20}, {got + (1 << 20), MUCH - (1 << 20)}};

	return preadv2(fd, vector, 2, -1, 0);
}

static int endless_devices(void)
{
	static const char *const paths[] = {"/dev/zero", "/dev/urandom"};
	static ssize_t (*const calls[])(int fd, char *got) = {
		read_much, pread_much, readv_much, preadv_much, preadv2_much};
	char *got = malloc(MUCH);

	MUST(got != NULL);
	for (int device = 0; device < 2; device++) {
		const int fd = open(paths[device], O_RDONLY | O_CLOEXEC);
		int whole = 0;

		MUST(fd >= 0);
		for (int i = 0; i < ROUNDS; i++)
			whole += calls[i % 5](fd, got) == MUCH;
		target_print("%s: %d whole", paths[device], whole);
		close(fd);
	}
	free(got);
	return 0;
}

const struct behaviour incoming_behaviours[] = {
	{"receives-of-all", receives_of_all},
	{"recvmsgs-of-all", recvmsgs_of_all},
	{"receives-of-messages", receives_of_messages},
	{"many-messages", many_messages},
	{"random-bytes", random_bytes},
	{"endless-devices", endless_devices},
	{NULL, NULL},
};
