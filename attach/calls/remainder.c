/*
 * Repeats calls for the rest of their data. Does not handle calls that transferred nothing
 * (restart.c). Ignores cases in which a short result is normal without a stop: nonblocking
 * descriptors, splice(2). tests/ptrace/test-calls.c shows what a stop does to most calls.
 */
#include "attach/calls/remainder.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/calls/restart.h"
#include "attach/calls/stop.h"
#include "attach/thread.h"
#include "base/clock.h"
#include "base/proc.h"

enum {
	/* ERESTARTSYS (include/linux/errno.h): calls that the kernel itself restarts */
	RESTART = 512,
	MOST_BYTES = 0x7ffff000, /* of one call (include/linux/fs.h, MAX_RW_COUNT) */
	PIECES = 64,             /* read at once */
	MOST_PIECES = 1024,      /* UIO_MAXIOV */
	SEND_FLAGS = MSG_NOSIGNAL | MSG_MORE | MSG_EOR,
	RECEIVE_FLAGS = MSG_WAITALL | MSG_NOSIGNAL | MSG_CMSG_CLOEXEC,
	SETTLE_NS = 1000 * 1000 * 1000,
};

/* How a call's data is described, and so its rest. */
enum part_form {
	FORM_BUFFER, /* the bytes of a buffer */
	FORM_COUNT,  /* a number of bytes from a file with an advancing offset */
	FORM_VECTOR, /* the buffers of a vector */
	FORM_MESSAGE,
	FORM_MESSAGES, /* the call returns their number */
};

/* Files for which only a signal or a stop can cause a short result. */
enum part_file {
	FILE_NONE,
	FILE_OUT,    /* a pipe, a socket, a terminal */
	FILE_BEYOND, /* a file or FILE_OUT but a pipe: sendfile(2) puts into it what fits */
	FILE_SOCKET, /* as much as the flags of the call say */
	FILE_ENDLESS /* a device that is never empty */
};

/* The numbers of the arguments. */
static const struct sprof_part_call {
	int64_t number;
	enum part_form form;
	enum part_file file; /* of argument 0 */
	unsigned data, count, flags;
	unsigned needed_flags, allowed_flags;
} part_calls[] = {
	{SYS_write, FORM_BUFFER, FILE_OUT, .data = 1, .count = 2},
	{SYS_writev, FORM_VECTOR, FILE_OUT, .data = 1, .count = 2},
	{SYS_pwritev2, FORM_VECTOR, FILE_OUT, .data = 1, .count = 2, .flags = 5},
	{SYS_sendfile, FORM_COUNT, FILE_BEYOND, .count = 3},
	{SYS_sendto, FORM_BUFFER, FILE_SOCKET, .data = 1, .count = 2, .flags = 3,
		.allowed_flags = SEND_FLAGS},
	{SYS_sendmsg, FORM_MESSAGE, FILE_SOCKET, .data = 1, .flags = 2,
		.allowed_flags = SEND_FLAGS},
	{SYS_sendmmsg, FORM_MESSAGES, FILE_SOCKET, .data = 1, .count = 2, .flags = 3,
		.allowed_flags = SEND_FLAGS},
	{SYS_recvfrom, FORM_BUFFER, FILE_SOCKET, .data = 1, .count = 2, .flags = 3,
		.needed_flags = MSG_WAITALL, .allowed_flags = RECEIVE_FLAGS},
	{SYS_recvmsg, FORM_MESSAGE, FILE_SOCKET, .data = 1, .flags = 2, .needed_flags = MSG_WAITALL,
		.allowed_flags = RECEIVE_FLAGS},
	{SYS_recvmmsg, FORM_MESSAGES, FILE_SOCKET, .data = 1, .count = 2, .flags = 3},
	{SYS_copy_file_range, FORM_COUNT, FILE_NONE, .count = 4},
	{SYS_read, FORM_BUFFER, FILE_ENDLESS, .data = 1, .count = 2},
	{SYS_pread64, FORM_BUFFER, FILE_ENDLESS, .data = 1, .count = 2},
	{SYS_readv, FORM_VECTOR, FILE_ENDLESS, .data = 1, .count = 2},
	{SYS_preadv, FORM_VECTOR, FILE_ENDLESS, .data = 1, .count = 2},
	{SYS_preadv2, FORM_VECTOR, FILE_ENDLESS, .data = 1, .count = 2, .flags = 5},
	{SYS_getrandom, FORM_BUFFER, FILE_NONE, .data = 0, .count = 1},
};

struct rest {
	int64_t number;
	uint64_t arguments[6];
};

/* Where the rest begins in a vector: in this buffer, at this offset. */
struct piece {
	uint64_t index, offset;
	struct iovec buffer;
};

static const struct sprof_part_call *find(int64_t number)
{
	for (size_t i = 0; i < sizeof(part_calls) / sizeof(part_calls[0]); i++) {
		if (part_calls[i].number == number)
			return &part_calls[i];
	}
	return NULL;
}

bool sprof_remainder_is_possible(const struct sprof_regs *regs)
{
	return regs->system_call >= 0 && regs->coming_call < 0 &&
		(int64_t)regs->values[SPROF_REG_RESULT] > 0 &&
		(int64_t)regs->values[SPROF_REG_RESULT] < MOST_BYTES && find(regs->system_call);
}

/* The call's data. */

/*
 * The total size of a vector, as the kernel computes it, and the piece at offset `done`. Returns
 * false if it can't be read.
 */
static bool walk_vector(pid_t tid, uint64_t address, uint64_t count, uint64_t done,
	struct piece *ret, uint64_t *ret_sum)
{
	struct iovec pieces[PIECES];

	*ret_sum = 0;
	*ret = (struct piece){.index = count};
	if (count > MOST_PIECES)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		const struct iovec *piece = &pieces[i % PIECES];
		const uint64_t left = count - i < PIECES ? count - i : PIECES;

		if (!(i % PIECES) &&
			sprof_memory_read(tid, address + i * sizeof(*piece), pieces,
				left * sizeof(*piece)) != left * sizeof(*piece))
			return false;
		if (ret->index == count && done < *ret_sum + piece->iov_len)
			*ret = (struct piece){i, done - *ret_sum, *piece};
		if (piece->iov_len > MOST_BYTES)
			return false;
		*ret_sum += piece->iov_len;
	}
	return *ret_sum <= MOST_BYTES;
}

static bool read_message(pid_t tid, uint64_t address, struct msghdr *ret)
{
	return sprof_memory_read(tid, address, ret, sizeof(*ret)) == sizeof(*ret);
}

/*
 * Descriptors (SCM_RIGHTS) go with the first byte. Other control messages may concern every byte,
 * such as TLS record types.
 */
static bool is_about_first_byte(pid_t tid, const struct msghdr *message)
{
	struct cmsghdr control;

	return !message->msg_controllen ||
		(message->msg_controllen >= sizeof(control) &&
			sprof_memory_read(tid, (uint64_t)(uintptr_t)message->msg_control, &control,
				sizeof(control)) == sizeof(control) &&
			control.cmsg_level == SOL_SOCKET);
}

static bool ask_message(pid_t tid, const struct sprof_remainder *remainder, uint64_t *ret)
{
	struct msghdr message;
	struct piece piece;

	return read_message(tid, remainder->arguments[1], &message) &&
		(remainder->call->number == SYS_sendmsg ? is_about_first_byte(tid, &message)
							: !message.msg_control) &&
		walk_vector(tid, (uint64_t)(uintptr_t)message.msg_iov, message.msg_iovlen, 0,
			&piece, ret);
}

/* Whether the last message transferred is complete. A received one always is; the rest of a sent
 * one would have to be added to its length. */
static bool is_last_whole(pid_t tid, const struct sprof_remainder *remainder)
{
	const uint64_t address =
		remainder->arguments[1] + (remainder->done - 1) * sizeof(struct mmsghdr);
	struct mmsghdr message;
	struct piece piece;
	uint64_t length;

	return remainder->call->number == SYS_recvmmsg ||
		(sprof_memory_read(tid, address, &message, sizeof(message)) == sizeof(message) &&
			walk_vector(tid, (uint64_t)(uintptr_t)message.msg_hdr.msg_iov,
				message.msg_hdr.msg_iovlen, 0, &piece, &length) &&
			message.msg_len == length);
}

/*
 * How much the program has requested. Returns false if unknown, or if the call can't be repeated
 * for a rest.
 */
static bool read_asked(pid_t tid, const struct sprof_remainder *remainder, uint64_t *ret)
{
	const struct sprof_part_call *call = remainder->call;
	const uint64_t *arguments = remainder->arguments, count = arguments[call->count];
	struct piece piece;

	switch (call->form) {
	case FORM_BUFFER:
	case FORM_COUNT:
		*ret = count < MOST_BYTES ? count : MOST_BYTES;
		return true;
	case FORM_VECTOR:
		return walk_vector(tid, arguments[call->data], count, 0, &piece, ret);
	case FORM_MESSAGE:
		return ask_message(tid, remainder, ret);
	case FORM_MESSAGES:
		*ret = (uint32_t)count;
		return *ret <= MOST_PIECES &&
			(call->number == SYS_sendmmsg || !arguments[4]); /* a time-out */
	}
	return false;
}

/* The file. */

static bool is_terminal(dev_t device)
{
	const unsigned number = major(device);

	/* Documentation/admin-guide/devices.txt: terminals, /dev/tty, pseudo terminals */
	return number == 4 || number == 5 || (number >= 136 && number <= 143);
}

/* /dev/zero, full, random, urandom */
static bool is_endless(dev_t device)
{
	const unsigned number = minor(device);

	return major(device) == 1 && (number == 5 || number == 7 || number == 8 || number == 9);
}

static bool fits(enum part_file file, const struct stat *status)
{
	const bool is_device = S_ISCHR(status->st_mode);

	switch (file) {
	case FILE_NONE:
		return true;
	case FILE_OUT:
		return S_ISFIFO(status->st_mode) || S_ISSOCK(status->st_mode) ||
			(is_device && is_terminal(status->st_rdev));
	case FILE_BEYOND:
		return S_ISREG(status->st_mode) ||
			(!S_ISFIFO(status->st_mode) && fits(FILE_OUT, status));
	case FILE_SOCKET:
		return S_ISSOCK(status->st_mode);
	case FILE_ENDLESS:
		return is_device && is_endless(status->st_rdev);
	}
	return false;
}

static bool blocks(pid_t tid, int fd)
{
	char text[4096], value[32];

	return sprof_proc_read_path(
		       sprof_proc_path(tid, 0, "fdinfo/%d", fd).text, text, sizeof(text)) > 0 &&
		sprof_proc_status_field(text, "flags", value, sizeof(value)) &&
		!(strtoul(value, NULL, 8) & O_NONBLOCK);
}

/* Negative: it may not be copied (pidfd_getfd(2)). */
static int copy_descriptor(pid_t pid, int fd)
{
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int copy;

	if (process < 0)
		return -1;
	copy = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	close(process);
	return copy;
}

static int option_of(int socket, int option)
{
	int value = 0;
	socklen_t size = sizeof(value);

	return getsockopt(socket, SOL_SOCKET, option, &value, &size) ? -1 : value;
}

static bool has_timeout(int socket, int option)
{
	struct timeval value = {0};
	socklen_t size = sizeof(value);

	return getsockopt(socket, SOL_SOCKET, option, &value, &size) || value.tv_sec ||
		value.tv_usec;
}

/* Only for streams: datagrams have boundaries. */
static bool is_cut_receive(int socket)
{
	return option_of(socket, SO_TYPE) == SOCK_STREAM && !has_timeout(socket, SO_RCVTIMEO);
}

/* Whether a stop may be the cause of a short result, as far as the socket shows. */
static bool is_right_socket(const struct sprof_thread *thread)
{
	const struct sprof_remainder *remainder = &thread->remainder;
	const bool receives = remainder->call->needed_flags & MSG_WAITALL;
	const int socket = copy_descriptor(thread->process->pid, (int)remainder->arguments[0]);
	bool is_right;

	if (socket < 0)
		return !receives;
	is_right = receives ? is_cut_receive(socket) : !has_timeout(socket, SO_SNDTIMEO);
	close(socket);
	return is_right;
}

static bool is_right_file(struct sprof_thread *thread)
{
	struct sprof_remainder *remainder = &thread->remainder;
	const int fd = (int)remainder->arguments[0];
	const enum part_file file = remainder->call->file;
	struct stat status;

	remainder->is_socket = false;
	if (file == FILE_NONE)
		return true;
	if (stat(sprof_proc_path(thread->tid, 0, "fd/%d", fd).text, &status) ||
		!fits(file, &status) || (file != FILE_ENDLESS && !blocks(thread->tid, fd)))
		return false;
	remainder->is_socket = S_ISSOCK(status.st_mode);
	return !remainder->is_socket || is_right_socket(thread);
}

static bool are_right_flags(const struct sprof_part_call *call, const uint64_t arguments[6])
{
	const unsigned flags = call->flags ? (unsigned)arguments[call->flags] : 0;

	return (flags & call->needed_flags) == call->needed_flags &&
		!(flags & ~call->allowed_flags);
}

/* The rest. */

/*
 * From here the bytes of one buffer are moved by another call, which a filter of the program may
 * not know.
 */
static bool plan_buffer(const struct sprof_thread *thread, int64_t number,
	const struct piece *piece, struct rest *ret)
{
	if (sprof_restart_has_filter(thread->tid, thread->filtered))
		return false;
	*ret = (struct rest){number,
		{thread->remainder.arguments[0],
			(uint64_t)(uintptr_t)piece->buffer.iov_base + piece->offset,
			piece->buffer.iov_len - piece->offset}};
	return true;
}

static bool plan_vector(const struct sprof_thread *thread, struct rest *ret)
{
	const struct sprof_remainder *remainder = &thread->remainder;
	struct piece piece;
	uint64_t sum;

	if (!walk_vector(thread->tid, remainder->arguments[1], remainder->arguments[2],
		    remainder->done, &piece, &sum) ||
		sum != remainder->asked)
		return false;
	if (piece.offset)
		return plan_buffer(thread,
			remainder->call->file == FILE_ENDLESS ? SYS_read : SYS_write, &piece, ret);
	ret->arguments[1] += piece.index * sizeof(piece.buffer);
	ret->arguments[2] -= piece.index;
	return true;
}

static bool plan_message(const struct sprof_thread *thread, struct rest *ret)
{
	const struct sprof_remainder *remainder = &thread->remainder;
	const bool sends = remainder->call->number == SYS_sendmsg;
	const uint64_t flags = remainder->arguments[2];
	struct msghdr message;
	struct piece piece;
	uint64_t sum;

	if (!read_message(thread->tid, remainder->arguments[1], &message) ||
		!walk_vector(thread->tid, (uint64_t)(uintptr_t)message.msg_iov, message.msg_iovlen,
			remainder->done, &piece, &sum) ||
		sum != remainder->asked ||
		!plan_buffer(thread, sends ? SYS_sendto : SYS_recvfrom, &piece, ret))
		return false;
	ret->arguments[3] = flags;
	return true;
}

/* Plans the call for the rest. The first call has already written addresses. */
static bool plan(const struct sprof_thread *thread, struct rest *ret)
{
	const struct sprof_remainder *remainder = &thread->remainder;
	const struct sprof_part_call *call = remainder->call;
	bool is_planned = true;

	ret->number = call->number;
	memcpy(ret->arguments, remainder->arguments, sizeof(ret->arguments));
	switch (call->form) {
	case FORM_BUFFER:
		ret->arguments[call->data] += remainder->done;
		ret->arguments[call->count] = remainder->asked - remainder->done;
		break;
	case FORM_COUNT:
		ret->arguments[call->count] = remainder->asked - remainder->done;
		break;
	case FORM_VECTOR:
		is_planned = plan_vector(thread, ret);
		break;
	case FORM_MESSAGE:
		is_planned = plan_message(thread, ret);
		break;
	case FORM_MESSAGES:
		is_planned = is_last_whole(thread->tid, remainder);
		ret->arguments[call->data] += remainder->done * sizeof(struct mmsghdr);
		ret->arguments[call->count] = remainder->asked - remainder->done;
		break;
	}
	if (call->allowed_flags == SEND_FLAGS)
		ret->arguments[3 - (ret->number == SYS_sendmsg)] |= MSG_NOSIGNAL;
	if (ret->number == SYS_recvfrom)
		ret->arguments[4] = ret->arguments[5] = 0;
	return is_planned;
}

static bool go_on(struct sprof_thread *thread)
{
	struct rest rest;

	return thread->remainder.done < thread->remainder.asked && plan(thread, &rest) &&
		sprof_regs_begin_call(
			thread->tid, &thread->remainder.regs, rest.number, rest.arguments);
}

void sprof_remainder_begin(struct sprof_thread *thread, const struct sprof_regs *regs)
{
	struct sprof_remainder *remainder = &thread->remainder;

	remainder->call = find(regs->system_call);
	remainder->regs = *regs;
	remainder->done = regs->values[SPROF_REG_RESULT];
	remainder->is_on = remainder->call &&
		sprof_regs_call_arguments(thread->tid, regs, remainder->arguments) &&
		are_right_flags(remainder->call, remainder->arguments) &&
		read_asked(thread->tid, remainder, &remainder->asked) &&
		remainder->done < remainder->asked && is_right_file(thread) && go_on(thread);
}

void sprof_remainder_end(struct sprof_thread *thread)
{
	thread->remainder.is_on = false;
	sprof_regs_end_call(thread->tid, &thread->remainder.regs, thread->remainder.done);
}

/*
 * At the end of a repeated call. A handler about to run makes another stop. An error is not passed
 * to the program, which has got a part; nor is the SIGPIPE of a socket whose peer is gone: both
 * come with the program's next call. A pipe sends SIGPIPE with the part, too (fs/pipe.c). A restart
 * by the kernel would not be reliable: recvmmsg(2) keeps the error for the next call (net/socket.c,
 * do_recvmmsg).
 */
static void add(struct sprof_thread *thread, int64_t result)
{
	const bool is_interrupted = result == -EINTR || result == -RESTART;
	struct sprof_remainder *remainder = &thread->remainder;

	if (result > 0)
		remainder->done += (uint64_t)result;
	if (result == -EPIPE && remainder->is_socket &&
		remainder->call->allowed_flags != SEND_FLAGS)
		remainder->drops_sigpipe = true;
	if ((result <= 0 && !is_interrupted) || !go_on(thread))
		sprof_remainder_end(thread);
}

void sprof_remainder_step(struct sprof_thread *thread)
{
	struct sprof_call_state state;

	if (sprof_thread_read_call(thread, &state) && state.stop == SPROF_CALL_EXIT)
		add(thread, state.result);
}

/* Waits for the next stop. Returns false if there is none in time. */
static bool await_stop(pid_t tid, siginfo_t *ret)
{
	const uint64_t end_ns = sprof_clock_now_ns() + SETTLE_NS;
	const struct timespec pause = {.tv_nsec = 100 * 1000};

	while (sprof_clock_now_ns() < end_ns) {
		ret->si_pid = 0;
		if (waitid(P_PID, (id_t)tid, ret, WSTOPPED | WNOWAIT | WNOHANG | __WALL))
			return false;
		if (ret->si_pid)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static bool come_to_stop(struct sprof_thread *thread, int *ret_signal)
{
	struct sprof_stop stop;
	siginfo_t info;

	if (thread->phase == SPROF_THREAD_ENDED || thread->phase == SPROF_THREAD_LEAVING)
		return false;
	ptrace(PTRACE_INTERRUPT, thread->tid, 0, 0);
	if (!await_stop(thread->tid, &info))
		return false;
	stop = sprof_stop_classify(info.si_status << 8 | 0x7f);
	if (stop.kind == SPROF_STOP_SYSCALL)
		sprof_remainder_step(thread);
	*ret_signal = stop.kind == SPROF_STOP_SIGNAL ? stop.value : 0;
	return true;
}

void sprof_remainder_settle(struct sprof_thread *thread)
{
	int signal = thread->signal;

	if (thread->phase != SPROF_THREAD_STOPPED && !come_to_stop(thread, &signal))
		return;
	if (thread->remainder.is_on)
		sprof_remainder_end(thread);
	ptrace(PTRACE_DETACH, thread->tid, 0, signal);
}
