/*
 * Calls that move data: pipes, sockets, terminals, files. Calls that only wait are in calls-wait.c.
 */
#include "tests/ptrace/calls.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <termios.h>
#include <unistd.h>

enum {
	DATAGRAMS = 1024, /* of one call, more than a queue takes */
};

static char whole[WHOLE];

void prepare_pipe(struct stage *stage)
{
	int ends[2];

	calls_require(!pipe2(ends, O_CLOEXEC), "pipe");
	stage->in = ends[0];
	stage->out = ends[1];
}

/* `in` is where the child writes to. */
static void prepare_pipe_to_write(struct stage *stage)
{
	int ends[2];

	calls_require(!pipe2(ends, O_CLOEXEC), "pipe");
	stage->in = ends[1];
	stage->out = ends[0];
}

static void prepare_full_pipe(struct stage *stage)
{
	prepare_pipe_to_write(stage);
	calls_require(!fcntl(stage->in, F_SETFL, O_NONBLOCK), "fcntl");
	while (write(stage->in, whole, 4096) > 0)
		;
	calls_require(!fcntl(stage->in, F_SETFL, 0), "fcntl");
}

void prepare_file(struct stage *stage)
{
	snprintf(stage->path, sizeof(stage->path), "/tmp/sprof-calls-XXXXXX");
	stage->file = mkostemp(stage->path, O_CLOEXEC);
	calls_require(stage->file >= 0, "mkostemp");
	unlink(stage->path);
	calls_require(!ftruncate(stage->file, WHOLE), "ftruncate");
}

static void prepare_file_and_full_pipe(struct stage *stage)
{
	prepare_file(stage);
	prepare_full_pipe(stage);
}

static void prepare_sockets(struct stage *stage, int type)
{
	int ends[2];

	calls_require(!socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends), "socketpair");
	stage->in = ends[0];
	stage->out = ends[1];
}

static void prepare_stream(struct stage *stage)
{
	prepare_sockets(stage, SOCK_STREAM);
}

static void prepare_file_and_stream(struct stage *stage)
{
	prepare_file(stage);
	prepare_stream(stage);
}

static void prepare_datagrams(struct stage *stage)
{
	prepare_sockets(stage, SOCK_DGRAM);
}

static void prepare_stream_with_a_byte(struct stage *stage)
{
	prepare_sockets(stage, SOCK_STREAM);
	end_by_byte(stage);
}

static void prepare_datagrams_with_one(struct stage *stage)
{
	prepare_sockets(stage, SOCK_DGRAM);
	end_by_byte(stage);
}

static void set_timeout(int socket)
{
	const struct timeval span = {.tv_usec = SPAN_MS * 1000};

	calls_require(!setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &span, sizeof(span)) &&
			!setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &span, sizeof(span)),
		"setsockopt");
}

static void prepare_timed_stream(struct stage *stage)
{
	prepare_stream(stage);
	set_timeout(stage->in);
}

static void prepare_timed_datagrams(struct stage *stage)
{
	prepare_sockets(stage, SOCK_DGRAM);
	set_timeout(stage->in);
}

static void address_of(const struct stage *stage, struct sockaddr_un *ret, socklen_t *ret_size)
{
	*ret_size = sizeof(*ret);
	calls_require(!getsockname(stage->out, (void *)ret, ret_size), "getsockname");
}

/* With no path the kernel finds a name (unix(7), autobind). */
static void prepare_listener(struct stage *stage)
{
	const struct sockaddr_un any = {.sun_family = AF_UNIX};

	stage->in = stage->out = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	calls_require(!bind(stage->in, (const void *)&any, sizeof(any.sun_family)) &&
			!listen(stage->in, 0),
		"listen");
}

static void prepare_timed_listener(struct stage *stage)
{
	prepare_listener(stage);
	set_timeout(stage->in);
}

static void prepare_full_listener(struct stage *stage)
{
	struct sockaddr_un address;
	socklen_t size;
	int socket_of_one;

	prepare_listener(stage);
	address_of(stage, &address, &size);
	do {
		socket_of_one = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	} while (!connect(socket_of_one, (const void *)&address, size));
	calls_require(errno == EAGAIN, "connect");
	stage->in = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static void prepare_terminal(struct stage *stage)
{
	struct termios settings;

	stage->out = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	calls_require(
		stage->out >= 0 && !grantpt(stage->out) && !unlockpt(stage->out), "posix_openpt");
	stage->in = open(ptsname(stage->out), O_RDWR | O_NOCTTY | O_CLOEXEC);
	calls_require(stage->in >= 0 && !tcgetattr(stage->in, &settings), "open a terminal");
	cfmakeraw(&settings);
	calls_require(!tcsetattr(stage->in, TCSANOW, &settings), "tcsetattr");
}

static void prepare_fifo(struct stage *stage)
{
	snprintf(stage->path, sizeof(stage->path), "/tmp/sprof-calls-XXXXXX");
	calls_require(mkdtemp(stage->path), "mkdtemp");
	strcat(stage->path, "/fifo");
	calls_require(!mkfifo(stage->path, 0600), "mkfifo");
}

static long make_read(struct stage *stage)
{
	char byte;

	return calls_result(read(stage->in, &byte, 1));
}

static long make_write(struct stage *stage)
{
	return calls_result(write(stage->in, whole, WHOLE));
}

static long make_write_of_a_byte(struct stage *stage)
{
	return calls_result(write(stage->in, whole, 1));
}

static long make_writev(struct stage *stage)
{
	const struct iovec halves[] = {{whole, WHOLE / 2}, {whole + WHOLE / 2, WHOLE / 2}};

	return calls_result(writev(stage->in, halves, 2));
}

static long make_pwritev2(struct stage *stage)
{
	const struct iovec halves[] = {{whole, WHOLE / 2}, {whole + WHOLE / 2, WHOLE / 2}};

	return calls_result(pwritev2(stage->in, halves, 2, -1, 0));
}

static long make_send(struct stage *stage)
{
	return calls_result(send(stage->in, whole, WHOLE, 0));
}

static long make_recv(struct stage *stage)
{
	return calls_result(recv(stage->in, whole, 1, 0));
}

static long make_recv_all(struct stage *stage)
{
	return calls_result(recv(stage->in, whole, 2, MSG_WAITALL));
}

static long receive_all(struct stage *stage, void *control, size_t size)
{
	struct iovec places[] = {{whole, 1}, {whole + 1, 1}};
	struct msghdr message = {
		.msg_iov = places, .msg_iovlen = 2, .msg_control = control, .msg_controllen = size};

	return calls_result(recvmsg(stage->in, &message, MSG_WAITALL));
}

static long make_recvmsg_all(struct stage *stage)
{
	return receive_all(stage, NULL, 0);
}

static long make_recvmsg_all_with_control(struct stage *stage)
{
	char control[256];

	return receive_all(stage, control, sizeof(control));
}

static long make_sendmsg(struct stage *stage)
{
	struct iovec halves[] = {{whole, WHOLE / 2}, {whole + WHOLE / 2, WHOLE / 2}};
	const struct msghdr message = {.msg_iov = halves, .msg_iovlen = 2};

	return calls_result(sendmsg(stage->in, &message, 0));
}

/* More than the receiver's queue takes (net.unix.max_dgram_qlen). */
static long make_sendmmsg(struct stage *stage)
{
	struct iovec byte = {whole, 1};
	struct mmsghdr messages[DATAGRAMS];

	for (size_t i = 0; i < DATAGRAMS; i++)
		messages[i] = (struct mmsghdr){.msg_hdr = {.msg_iov = &byte, .msg_iovlen = 1}};
	return calls_result(sendmmsg(stage->in, messages, DATAGRAMS, 0));
}

static long make_sendmmsg_of_streams(struct stage *stage)
{
	struct iovec all = {whole, WHOLE};
	struct mmsghdr messages[] = {{.msg_hdr = {.msg_iov = &all, .msg_iovlen = 1}},
		{.msg_hdr = {.msg_iov = &all, .msg_iovlen = 1}}};

	return calls_result(sendmmsg(stage->in, messages, 2, 0));
}

static long make_recvmmsg(struct stage *stage)
{
	struct iovec places[] = {{whole, 1}, {whole + 1, 1}};
	struct mmsghdr messages[] = {{.msg_hdr = {.msg_iov = &places[0], .msg_iovlen = 1}},
		{.msg_hdr = {.msg_iov = &places[1], .msg_iovlen = 1}}};

	return calls_result(recvmmsg(stage->in, messages, 2, 0, NULL));
}

static long make_accept(struct stage *stage)
{
	return calls_result(accept(stage->in, NULL, NULL)) > 0;
}

static long make_timed_accept(struct stage *stage)
{
	return calls_result(accept(stage->in, NULL, NULL));
}

static long make_connect(struct stage *stage)
{
	struct sockaddr_un address;
	socklen_t size;

	address_of(stage, &address, &size);
	return calls_result(connect(stage->in, (const void *)&address, size));
}

static long make_sendfile(struct stage *stage)
{
	return calls_result(sendfile(stage->in, stage->file, NULL, WHOLE));
}

static long make_splice(struct stage *stage)
{
	return calls_result(splice(stage->file, NULL, stage->in, NULL, 4096, 0));
}

static long make_tee(struct stage *stage)
{
	int ends[2];

	calls_require(!pipe(ends), "pipe");
	return calls_result(tee(stage->in, ends[1], 4096, 0));
}

/* The pages are small and new, so that the count of page faults says how far it is. */
static char *new_pages(void)
{
	char *bytes =
		mmap(NULL, RANDOM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	calls_require(bytes != MAP_FAILED && !madvise(bytes, RANDOM_SIZE, MADV_NOHUGEPAGE), "mmap");
	return bytes;
}

static long make_getrandom(struct stage *stage)
{
	return calls_result(getrandom(new_pages(), RANDOM_SIZE, 0));
}

static long make_read_of_zeros(struct stage *stage)
{
	const int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	calls_require(file >= 0, "open /dev/zero");
	return calls_result(read(file, new_pages(), RANDOM_SIZE));
}

static long make_open(struct stage *stage)
{
	return calls_result(open(stage->path, O_RDONLY)) > 0;
}

/* Again and again: no single call is sure to sleep, but in all of them the stop has no effect. */
static long make_fsync(struct stage *stage)
{
	long result = 0;

	while (!result && !atomic_load(&stage->said->word))
		result = pwrite(stage->file, whole, WHOLE, 0) == WHOLE
			? calls_result(fsync(stage->file))
			: -EIO;
	return result;
}

void end_by_byte(struct stage *stage)
{
	calls_require(write(stage->out, "x", 1) == 1, "write");
}

static void end_fsync(struct stage *stage)
{
	atomic_store(&stage->said->word, 1);
}

/* Reads all that the child writes, in an untraced process: the child may need its tracer meanwhile. */
static void end_by_reading(struct stage *stage)
{
	static char bytes[WHOLE];
	const pid_t reader = fork();

	calls_require(reader >= 0, "fork");
	if (reader)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!atomic_load(&stage->said->has_ended)) {
		struct pollfd out = {.fd = stage->out, .events = POLLIN};

		if (poll(&out, 1, 1) > 0 && read(stage->out, bytes, sizeof(bytes)) <= 0)
			break;
	}
	_exit(0);
}

static void end_by_connecting(struct stage *stage)
{
	int caller = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un address;
	socklen_t size;

	address_of(stage, &address, &size);
	calls_require(!connect(caller, (const void *)&address, size), "connect");
}

static void end_by_accepting(struct stage *stage)
{
	calls_require(accept(stage->out, NULL, NULL) >= 0, "accept");
}

static void end_by_opening(struct stage *stage)
{
	calls_require(open(stage->path, O_WRONLY | O_CLOEXEC) >= 0, "open");
	unlink(stage->path);
	*strrchr(stage->path, '/') = '\0';
	rmdir(stage->path);
}

const struct call transfer_calls[] = {
	{"read from a pipe", EFFECT_GOES_ON, "fs/pipe.c", SYS_read, 1, prepare_pipe, make_read,
		end_by_byte},
	{"write to a pipe, nothing written yet", EFFECT_GOES_ON, "fs/pipe.c", SYS_write, 1,
		prepare_full_pipe, make_write_of_a_byte, end_by_reading},
	{"write to a pipe, a part written", EFFECT_GOES_ON, "fs/pipe.c", SYS_write, WHOLE,
		prepare_pipe_to_write, make_write, end_by_reading},
	{"writev to a pipe, a part written", EFFECT_GOES_ON, "fs/pipe.c", SYS_writev, WHOLE,
		prepare_pipe_to_write, make_writev, end_by_reading, .rest = SYS_write},
	{"writev to a pipe, a part written, seccomp filter", EFFECT_PART, "fs/pipe.c", SYS_writev,
		A_PART, prepare_pipe_to_write, make_writev, .is_filtered = true},
	{"pwritev2 to a pipe, a part written", EFFECT_GOES_ON, "fs/pipe.c", SYS_pwritev2, WHOLE,
		prepare_pipe_to_write, make_pwritev2, end_by_reading, .rest = SYS_write},
	{"read from a terminal", EFFECT_GOES_ON, "drivers/tty/n_tty.c", SYS_read, 1,
		prepare_terminal, make_read, end_by_byte},
	{"write to a terminal, a part written", EFFECT_GOES_ON, "drivers/tty/tty_io.c", SYS_write,
		WHOLE, prepare_terminal, make_write, end_by_reading},
	{"recv", EFFECT_GOES_ON, "net/unix/af_unix.c", SYS_recvfrom, 1, prepare_stream, make_recv,
		end_by_byte},
	{"recv with MSG_WAITALL, a part received", EFFECT_GOES_ON, "net/unix/af_unix.c",
		SYS_recvfrom, 2, prepare_stream_with_a_byte, make_recv_all, end_by_byte},
	{"recvmsg with MSG_WAITALL, a part received", EFFECT_GOES_ON, "net/unix/af_unix.c",
		SYS_recvmsg, 2, prepare_stream_with_a_byte, make_recvmsg_all, end_by_byte,
		.rest = SYS_recvfrom},
	{"recvmsg with MSG_WAITALL and control data", EFFECT_PART, "net/unix/af_unix.c",
		SYS_recvmsg, 1, prepare_stream_with_a_byte, make_recvmsg_all_with_control},
	{"recv with SO_RCVTIMEO", EFFECT_ANEW, "net/unix/af_unix.c", SYS_recvfrom, -EAGAIN,
		prepare_timed_stream, make_recv, .is_timed = true},
	{"read from a socket with SO_RCVTIMEO", EFFECT_ANEW, "net/unix/af_unix.c", SYS_read,
		-EAGAIN, prepare_timed_stream, make_read, .is_timed = true},
	{"recvmmsg, a part received", EFFECT_GOES_ON, "net/socket.c", SYS_recvmmsg, 2,
		prepare_datagrams_with_one, make_recvmmsg, end_by_byte},
	{"recvmmsg with SO_RCVTIMEO", EFFECT_ANEW, "net/socket.c", SYS_recvmmsg, -EAGAIN,
		prepare_timed_datagrams, make_recvmmsg, .is_timed = true},
	{"send to a stream socket, a part sent", EFFECT_GOES_ON, "net/unix/af_unix.c", SYS_sendto,
		WHOLE, prepare_stream, make_send, end_by_reading},
	{"write to a stream socket, a part written", EFFECT_GOES_ON, "net/unix/af_unix.c",
		SYS_write, WHOLE, prepare_stream, make_write, end_by_reading},
	{"sendmsg to a stream socket, a part sent", EFFECT_GOES_ON, "net/unix/af_unix.c",
		SYS_sendmsg, WHOLE, prepare_stream, make_sendmsg, end_by_reading,
		.rest = SYS_sendto},
	{"sendmmsg, a part sent", EFFECT_GOES_ON, "net/socket.c", SYS_sendmmsg, DATAGRAMS,
		prepare_datagrams, make_sendmmsg, end_by_reading},
	{"sendmmsg to a stream socket, a part of a message sent", EFFECT_PART, "net/socket.c",
		SYS_sendmmsg, 1, prepare_stream, make_sendmmsg_of_streams},
	{"accept", EFFECT_GOES_ON, "net/unix/af_unix.c", SYS_accept, 1, prepare_listener,
		make_accept, end_by_connecting},
	{"accept with SO_RCVTIMEO", EFFECT_ANEW, "net/unix/af_unix.c", SYS_accept, -EAGAIN,
		prepare_timed_listener, make_timed_accept, .is_timed = true},
	{"connect", EFFECT_GOES_ON, "net/unix/af_unix.c", SYS_connect, 0, prepare_full_listener,
		make_connect, end_by_accepting},
	{"sendfile to a stream socket, a part sent", EFFECT_GOES_ON, "fs/splice.c", SYS_sendfile,
		WHOLE, prepare_file_and_stream, make_sendfile, end_by_reading},
	{"splice to a pipe, nothing moved yet", EFFECT_GOES_ON, "fs/splice.c", SYS_splice, 4096,
		prepare_file_and_full_pipe, make_splice, end_by_reading},
	{"tee", EFFECT_GOES_ON, "fs/splice.c", SYS_tee, 1, prepare_pipe, make_tee, end_by_byte},
	{"getrandom of megabytes", EFFECT_GOES_ON, "drivers/char/random.c", SYS_getrandom,
		RANDOM_SIZE, NULL, make_getrandom, .is_busy = true},
	{"read of megabytes from /dev/zero", EFFECT_GOES_ON, "drivers/char/mem.c", SYS_read,
		RANDOM_SIZE, NULL, make_read_of_zeros, .is_busy = true},
	{"open of a FIFO", EFFECT_GOES_ON, "fs/pipe.c", SYS_openat, 1, prepare_fifo, make_open,
		end_by_opening},
	{"fsync", EFFECT_NONE, "mm/filemap.c", SYS_fsync, 0, prepare_file, make_fsync, end_fsync,
		.is_busy = true},
};

const size_t transfer_call_count = sizeof(transfer_calls) / sizeof(transfer_calls[0]);
