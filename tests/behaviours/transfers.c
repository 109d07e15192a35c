/*
 * Calls that write more than fits into a buffer, for a child that takes its time: what each returns,
 * and what has come at the other end, byte for byte.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "tests/behaviours/behaviour.h"

enum {
	ROUNDS = 12,
	WHOLE = 1 << 18,
	CHUNK = 16384,
};

static char bytes[WHOLE];
static int ends[2]; /* the child's, the program's */

/* No two neighbouring pieces of any usual size are the same. */
static void fill(void)
{
	uint32_t state = 1;

	for (size_t i = 0; i < WHOLE; i++) {
		state = state * 1664525 + 1013904223;
		bytes[i] = (char)(state >> 24);
	}
}

/* Repetitions of `bytes`, to the end; a little work between reads. */
static int read_all(void)
{
	static char got[CHUNK];
	size_t sum = 0, wrong = 0;
	ssize_t length;

	close(ends[1]);
	while ((length = read(ends[0], got, sizeof(got))) > 0) {
		for (ssize_t i = 0; i < length; i++)
			wrong += got[i] != bytes[(sum + (size_t)i) % WHOLE];
		sum += (size_t)length;
		burn_us(30);
	}
	target_print("read %zu, wrong %zu", sum, wrong);
	return 0;
}

static void make_pipe(void)
{
	MUST(pipe(ends) == 0);
}

static void make_stream(void)
{
	MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
}

static int repeat(void (*make_ends)(void), ssize_t (*call)(void))
{
	int whole = 0;
	pid_t child;

	fill();
	make_ends();
	child = child_of(read_all);
	close(ends[0]);
	for (int i = 0; i < ROUNDS; i++) {
		whole += call() == WHOLE;
		burn_us(100);
	}
	close(ends[1]);
	target_print("%d whole, child: %s", whole, status_text(reap(child)));
	return 0;
}

static ssize_t write_once(void)
{
	return write(ends[1], bytes, WHOLE);
}

/* Pieces of all sizes, some empty. */
static int make_vector(struct iovec vector[16])
{
	size_t offset = 0;

	for (int i = 0; i < 15; i++) {
		vector[i] = (struct iovec){bytes + offset, i % 4 == 3 ? 0 : (size_t)1 << (i + 3)};
		offset += vector[i].iov_len;
	}
	vector[15] = (struct iovec){bytes + offset, WHOLE - offset};
	return 16;
}

static ssize_t writev_once(void)
{
	struct iovec vector[16];

	return writev(ends[1], vector, make_vector(vector));
}

static ssize_t send_once(void)
{
	return send(ends[1], bytes, WHOLE, 0);
}

static ssize_t sendmsg_once(void)
{
	struct iovec vector[16];
	const struct msghdr message = {
		.msg_iov = vector, .msg_iovlen = (size_t)make_vector(vector)};

	return sendmsg(ends[1], &message, 0);
}

static ssize_t sendfile_once(void)
{
	static int file = -1;

	if (file < 0) {
		file = memfd_create("bytes", MFD_CLOEXEC);
		MUST(file >= 0 && write(file, bytes, WHOLE) == WHOLE);
	}
	MUST(lseek(file, 0, SEEK_SET) == 0);
	return sendfile(ends[1], file, NULL, WHOLE);
}

static int pipe_writes(void)
{
	return repeat(make_pipe, write_once);
}

static int pipe_writevs(void)
{
	return repeat(make_pipe, writev_once);
}

static int stream_writes(void)
{
	return repeat(make_stream, write_once);
}

static int stream_sends(void)
{
	return repeat(make_stream, send_once);
}

static int stream_sendmsgs(void)
{
	return repeat(make_stream, sendmsg_once);
}

static int stream_sendfiles(void)
{
	return repeat(make_stream, sendfile_once);
}

/* A terminal's other end gives no end of file, but an error. */
static void make_terminal(void)
{
	struct termios settings;

	ends[0] = posix_openpt(O_RDWR | O_NOCTTY);
	MUST(ends[0] >= 0 && grantpt(ends[0]) == 0 && unlockpt(ends[0]) == 0);
	ends[1] = open(ptsname(ends[0]), O_RDWR | O_NOCTTY);
	MUST(ends[1] >= 0 && tcgetattr(ends[1], &settings) == 0);
	cfmakeraw(&settings);
	MUST(tcsetattr(ends[1], TCSANOW, &settings) == 0);
}

static int terminal_writes(void)
{
	return repeat(make_terminal, write_once);
}

/* By signals without a handler, a program's calls are not interrupted. */
static int signal_while_it_writes(void)
{
	static const int numbers[] = {SIGWINCH, SIGURG, SIGCONT, SIGUSR1, SIGUSR2};

	for (int i = 0; i < 200; i++) {
		kill(getppid(), numbers[i % 5]);
		burn_us(200);
	}
	return 0;
}

static int writes_under_ignored_signals(void)
{
	pid_t child;
	int result;

	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	child = child_of(signal_while_it_writes);
	result = repeat(make_pipe, write_once);
	target_print("%s", status_text(reap(child)));
	return result;
}

static volatile sig_atomic_t handled;

static void count_it(int number, siginfo_t *info, void *context)
{
	handled++;
}

/* Handlers cut calls: who calls again for the rest loses nothing, and has nothing twice. */
static ssize_t write_in_parts(void)
{
	ssize_t sum = 0, length;

	while (sum < WHOLE) {
		length = write(ends[1], bytes + sum, (size_t)(WHOLE - sum));
		MUST(length > 0 || errno == EINTR || errno == EAGAIN);
		if (length > 0)
			sum += length;
		else if (errno == EAGAIN)
			poll(&(struct pollfd){.fd = ends[1], .events = POLLOUT}, 1, -1);
	}
	return sum;
}

static int writes_under_handlers(void)
{
	const char *end;
	pid_t child;
	int result;

	handle(SIGUSR1, count_it, SA_RESTART);
	handle(SIGUSR2, count_it, 0);
	child = child_of(signal_while_it_writes);
	result = repeat(make_pipe, write_in_parts);
	end = status_text(reap(child)); /* the child may signal until then */
	target_print("%s, some signals: %d", end, handled > 0);
	return result;
}

static void make_pipe_that_never_blocks(void)
{
	make_pipe();
	MUST(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
}

static int writes_that_never_block(void)
{
	return repeat(make_pipe_that_never_blocks, write_in_parts);
}

/* A reader that goes: what was written until then, and then the error. */
static int read_some_and_go(void)
{
	static char got[CHUNK];

	close(ends[1]);
	for (int i = 0; i < 8; i++) {
		MUST(read(ends[0], got, sizeof(got)) > 0);
		burn_us(300);
	}
	return 0;
}

static volatile sig_atomic_t broken_pipes;

static void count_broken_pipe(int signal)
{
	broken_pipes++;
}

static int writes_to_nobody(void (*make_ends)(void))
{
	int parts = 0, errors = 0;
	ssize_t length;
	pid_t child;

	signal(SIGPIPE, count_broken_pipe);
	for (int i = 0; i < ROUNDS; i++) {
		make_ends();
		child = child_of(read_some_and_go);
		close(ends[0]);
		length = write(ends[1], bytes, WHOLE);
		parts += length > 0 && length < WHOLE;
		errors += write(ends[1], bytes, WHOLE) < 0 && errno == EPIPE;
		close(ends[1]);
		MUST(reap(child) == 0);
	}
	target_print("%d parts, %d errors, %d signals", parts, errors, (int)broken_pipes);
	return 0;
}

static int reader_of_a_pipe_goes(void)
{
	return writes_to_nobody(make_pipe);
}

static int reader_of_a_stream_goes(void)
{
	return writes_to_nobody(make_stream);
}

static int write_until_it_dies(void)
{
	leave_no_core();
	close(ends[0]);
	return write(ends[1], bytes, WHOLE) > 0 ? 3 : 4;
}

/* SIGPIPE comes with the part, if it is a pipe. */
static int deaths_of_writers(void)
{
	pid_t writer, reader;

	for (int i = 0; i < ROUNDS; i++) {
		make_pipe();
		writer = child_of(write_until_it_dies);
		reader = child_of(read_some_and_go);
		close(ends[0]);
		close(ends[1]);
		target_print("%s", status_text(reap(writer)));
		reap(reader);
	}
	return 0;
}

/* Without a signal at its end: any thread of a traced process may be woken for that. */
static int end_of_a_child(int code)
{
	const long child = syscall(SYS_clone, 0, 0, 0, 0, 0);

	if (child == 0)
		_exit(code);
	MUST(child > 0);
	return WEXITSTATUS(reap((pid_t)child));
}

static void *fork_on(void *end)
{
	int wrong = 0;

	for (int i = 0; !atomic_load((atomic_int *)end); i++)
		wrong += end_of_a_child(i % 100) != i % 100;
	return (void *)(intptr_t)wrong;
}

/* Another thread forks meanwhile: its children have nothing of the call. */
static int writes_beside_forks(void)
{
	atomic_int end = 0;
	pthread_t thread;
	void *wrong;
	int result;

	MUST(pthread_create(&thread, NULL, fork_on, &end) == 0);
	result = repeat(make_pipe, write_once);
	atomic_store(&end, 1);
	pthread_join(thread, &wrong);
	target_print("%d wrong children", (int)(intptr_t)wrong);
	return result;
}

static void *write_for_ever(void *unused)
{
	for (;;)
		(void)!write(ends[1], bytes, WHOLE);
	return unused;
}

enum { LARGE = 24 << 20 };

static ssize_t copy_range(int to, int from)
{
	off_t begin = 0, place = 0;

	return copy_file_range(from, &begin, to, &place, LARGE, 0);
}

static ssize_t send_to_file(int to, int from)
{
	off_t begin = 0;

	lseek(to, 0, SEEK_SET);
	return sendfile(to, from, &begin, LARGE);
}

static char *mapped(int fd)
{
	char *got = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	MUST(got != MAP_FAILED);
	return got;
}

/* From file to file, in memory. */
static int copies_of_files(void)
{
	static ssize_t (*const calls[])(int to, int from) = {copy_range, send_to_file};
	const int from = memfd_create("from", MFD_CLOEXEC), to = memfd_create("to", MFD_CLOEXEC);
	int whole = 0, right = 0;

	MUST(ftruncate(from, LARGE) == 0);
	fill();
	for (size_t offset = 0; offset < LARGE; offset += WHOLE)
		MUST(pwrite(from, bytes, WHOLE, (off_t)offset) == WHOLE);
	for (int i = 0; i < 4; i++) {
		MUST(ftruncate(to, 0) == 0);
		whole += calls[i % 2](to, from) == LARGE;
		MUST(ftruncate(to, LARGE) == 0);
		right += memcmp(mapped(to), mapped(from), LARGE) == 0;
	}
	target_print("%d whole, %d right", whole, right);
	return 0;
}

static int write_and_exec(void)
{
	close(ends[0]);
	thread_of(write_for_ever);
	burn_us(3000);
	exec_again("/proc/self/exe", ".said");
}

static int say_it(void)
{
	target_print("executed");
	return 5;
}

static int read_and_be_quiet(void)
{
	static char got[CHUNK];

	close(ends[1]);
	while (read(ends[0], got, sizeof(got)) > 0)
		burn_us(50);
	return 0;
}

/* An exec ends the thread that writes. */
static int exec_beside_writes(void)
{
	pid_t writer, reader;

	for (int i = 0; i < ROUNDS; i++) {
		make_pipe();
		writer = child_of(write_and_exec);
		reader = child_of(read_and_be_quiet);
		close(ends[0]);
		close(ends[1]);
		target_print("%s", status_text(reap(writer)));
		reap(reader);
	}
	return 0;
}

const struct behaviour transfer_behaviours[] = {
	{"pipe-writes", pipe_writes},
	{"pipe-writevs", pipe_writevs},
	{"stream-writes", stream_writes},
	{"stream-sends", stream_sends},
	{"stream-sendmsgs", stream_sendmsgs},
	{"stream-sendfiles", stream_sendfiles},
	{"terminal-writes", terminal_writes},
	{"copies-of-files", copies_of_files},
	{"writes-under-ignored-signals", writes_under_ignored_signals},
	{"writes-under-handlers", writes_under_handlers},
	{"writes-that-never-block", writes_that_never_block},
	{"reader-of-a-pipe-goes", reader_of_a_pipe_goes},
	{"reader-of-a-stream-goes", reader_of_a_stream_goes},
	{"deaths-of-writers", deaths_of_writers},
	{"writes-beside-forks", writes_beside_forks},
	{"exec-beside-writes", exec_beside_writes},
	{".said", say_it},
	{NULL, NULL},
};
