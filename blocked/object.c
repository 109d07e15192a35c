/*
 * Describes what a system call waits for, from its arguments, for the calls in call.c. Does not
 * decide which words are shown.
 */
#include "blocked/object.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "base/proc-status.h"
#include "base/proc.h"
#include "base/strings.h"
#include "blocked/descriptor-read.h"
#include "blocked/duration.h"
#include "blocked/file-locks.h"
#include "blocked/socket-ask.h"

enum {
	SHOWN = 4,      /* watched descriptors to name */
	WATCHED = 64,   /* watched descriptors to look at */
	SEARCHED = 256, /* descriptors of each process, for the other end of a pipe */
	PIPE_AGE_NS = 2 * SPROF_NS_PER_S,
	LIST_ROOM = 64, /* for "and 1000 more" */
};

struct words {
	char *text;
	size_t size, used;
};

static void put(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct words *words, const char *format, ...)
{
	va_list args;
	int length;

	if (words->used + 1 >= words->size)
		return;
	va_start(args, format);
	length = vsnprintf(words->text + words->used, words->size - words->used, format, args);
	va_end(args);
	words->used += length < 0 ? 0 : (size_t)length;
	if (words->used >= words->size)
		words->used = words->size - 1;
}

static size_t read_memory(
	const struct sprof_objects *objects, pid_t pid, uint64_t address, void *buffer, size_t size)
{
	return objects->access->read_memory(objects->access->data, pid, address, buffer, size);
}

void sprof_objects_finish(struct sprof_objects *objects)
{
	sprof_sockets_finish(&objects->sockets);
}

static void put_process(struct words *words, pid_t pid)
{
	char comm[SPROF_COMM_MAX];

	if (sprof_proc_read_comm(pid, comm, sizeof(comm)))
		put(words, "%s (%d)", comm, pid);
	else
		put(words, "process %d", pid);
}

/* Prefers another traced process to the asking one, which often has both ends. */
static pid_t find_other_end(
	const struct sprof_objects *objects, pid_t pid, const char *link, bool writes)
{
	const struct sprof_blocked_access *access = objects->access;
	pid_t other;

	for (size_t i = 0; (other = access->process_at(access->data, i)); i++) {
		if (other != pid && sprof_descriptor_find(other, link, writes, SEARCHED))
			return other;
	}
	return sprof_descriptor_find(pid, link, writes, SEARCHED) ? pid : 0;
}

static pid_t other_end(
	struct sprof_objects *objects, pid_t pid, const struct sprof_descriptor *pipe, bool writes)
{
	struct sprof_object_pipe *known = &objects->pipes[pipe->inode % SPROF_OBJECT_PIPES];
	uint64_t now = sprof_clock_now_ns();

	if (known->inode != pipe->inode || known->writes != writes ||
		known->found_ns + PIPE_AGE_NS < now)
		*known = (struct sprof_object_pipe){
			.inode = pipe->inode,
			.found_ns = now,
			.writes = writes,
			.other = find_other_end(objects, pid, pipe->text, writes),
		};
	return known->other;
}

static void put_pipe(struct sprof_objects *objects, pid_t pid, int fd,
	const struct sprof_descriptor *pipe, struct words *words)
{
	bool we_write = sprof_descriptor_is_write_end(pid, fd);
	pid_t other = other_end(objects, pid, pipe, !we_write);

	put(words, "%s", pipe->text);
	if (!other)
		return;
	put(words, we_write ? " to " : " from ");
	if (other == pid)
		put(words, "itself");
	else
		put_process(words, other);
}

/* Whose end the peer of a unix socket without names is. */
static void put_peer(struct sprof_objects *objects, pid_t pid, int fd,
	const struct sprof_descriptor *descriptor, struct words *words)
{
	const uint32_t inode = sprof_sockets_peer(&objects->sockets, descriptor->inode);
	struct sprof_descriptor peer = {.kind = SPROF_DESCRIPTOR_SOCKET, .inode = inode};
	pid_t other;

	if (!inode)
		return;
	snprintf(peer.text, sizeof(peer.text), "socket:[%u]", inode);
	other = other_end(objects, pid, &peer, true);
	if (other == pid) {
		put(words, " of itself");
		return;
	}
	/* The maker of a pair has given the other end away. */
	if (!other)
		other = sprof_socket_ask_peer(pid, fd, descriptor->inode);
	if (!other || other == pid)
		return;
	put(words, " of ");
	put_process(words, other);
}

static void put_socket(struct sprof_objects *objects, pid_t pid, int fd,
	const struct sprof_descriptor *descriptor, struct words *words)
{
	const char *text = sprof_sockets_find(&objects->sockets, pid, descriptor->inode);
	struct sprof_socket asked;

	if (!text &&
		sprof_socket_ask(pid, fd, descriptor->inode, &objects->sockets.listening, &asked))
		text = asked.text;
	put(words, "%s", text ? text : descriptor->text);
	put_peer(objects, pid, fd, descriptor, words);
}

static void put_pidfd(pid_t pid, int fd, struct words *words)
{
	char text[512];
	long other;

	if (sprof_descriptor_read_info(pid, fd, text, sizeof(text)) > 0 &&
		sprof_proc_status_number(text, "Pid", &other) && other > 0) {
		put(words, "process ");
		put_process(words, (pid_t)other);
	} else {
		put(words, "pidfd");
	}
}

static void put_descriptor(struct sprof_objects *objects, pid_t pid, int fd, struct words *words)
{
	struct sprof_descriptor descriptor;

	if (!sprof_descriptor_read(pid, fd, &descriptor)) {
		put(words, "descriptor %d", fd);
		return;
	}
	switch (descriptor.kind) {
	case SPROF_DESCRIPTOR_PIPE:
		put_pipe(objects, pid, fd, &descriptor, words);
		break;
	case SPROF_DESCRIPTOR_SOCKET:
		put_socket(objects, pid, fd, &descriptor, words);
		break;
	case SPROF_DESCRIPTOR_PIDFD:
		put_pidfd(pid, fd, words);
		break;
	case SPROF_DESCRIPTOR_ANONYMOUS:
	case SPROF_DESCRIPTOR_FILE:
	case SPROF_DESCRIPTOR_EPOLL:
		put(words, "%s", descriptor.text);
		break;
	}
}

/* Not in lists: what the ring has to do matters only to a thread that waits for its completions. */
static void put_ring(struct sprof_objects *objects, pid_t pid, int fd, struct words *words)
{
	char text[16 * 1024];

	put_descriptor(objects, pid, fd, words);
	if (sprof_descriptor_read_info(pid, fd, text, sizeof(text)) > 0 &&
		sprof_descriptor_is_ring_done(text))
		put(words, " with nothing in flight");
}

/* Writes the first few descriptors, and how many there are. */
static void put_list(struct sprof_objects *objects, pid_t pid, const int *fds, size_t known,
	size_t count, struct words *words)
{
	size_t shown = 0;

	if (!count) {
		put(words, "no descriptors");
		return;
	}
	if (count > 1)
		put(words, "%zu descriptors: ", count);
	for (; shown < known && shown < SHOWN && words->used + LIST_ROOM < words->size; shown++) {
		put(words, shown ? ", " : "");
		put_descriptor(objects, pid, fds[shown], words);
	}
	if (shown < count)
		put(words, ", ...");
}

static void put_epoll(struct sprof_objects *objects, pid_t pid, int fd, struct words *words)
{
	char text[16 * 1024];
	int fds[WATCHED];
	size_t count, known;

	if (sprof_descriptor_read_info(pid, fd, text, sizeof(text)) <= 0)
		return;
	count = sprof_descriptor_parse_watched(text, fds, WATCHED);
	known = count < WATCHED ? count : WATCHED;
	/* The kernel lists them in a different order every time. */
	qsort(fds, known, sizeof(*fds), sprof_compare_int);
	put_list(objects, pid, fds, known, count, words);
}

static void put_poll(struct sprof_objects *objects, pid_t pid, uint64_t address, uint64_t count,
	struct words *words)
{
	struct pollfd polled[WATCHED];
	int fds[WATCHED];
	size_t wanted = count < WATCHED ? count : WATCHED, known = 0;
	size_t got = read_memory(objects, pid, address, polled, wanted * sizeof(*polled)) /
		sizeof(*polled);

	for (size_t i = 0; i < got; i++) {
		if (polled[i].fd >= 0)
			fds[known++] = polled[i].fd;
	}
	put_list(objects, pid, fds, known, count > wanted ? count : known, words);
}

static void put_select(
	struct sprof_objects *objects, pid_t pid, const uint64_t *arguments, struct words *words)
{
	uint8_t sets[3][128] = {{0}};
	size_t limit = arguments[0] < 1024 ? arguments[0] : 1024, count = 0;
	int fds[WATCHED];

	for (int i = 0; i < 3; i++) {
		if (arguments[1 + i])
			read_memory(objects, pid, arguments[1 + i], sets[i], sizeof(sets[i]));
	}
	for (size_t fd = 0; fd < limit; fd++) {
		if (!((sets[0][fd / 8] | sets[1][fd / 8] | sets[2][fd / 8]) >> fd % 8 & 1))
			continue;
		if (count < WATCHED)
			fds[count] = (int)fd;
		count++;
	}
	put_list(objects, pid, fds, count < WATCHED ? count : WATCHED, count, words);
}

static void put_ns(uint64_t ns, struct words *words)
{
	char text[32];

	sprof_blocked_duration(ns, text, sizeof(text));
	put(words, "%s", text);
}

/* Also a struct timeval, which has the same layout: `part_ns` is the unit of the second field. */
static void put_duration(const struct sprof_objects *objects, pid_t pid, uint64_t address,
	uint64_t part_ns, struct words *words)
{
	struct timespec time;

	if (read_memory(objects, pid, address, &time, sizeof(time)) != sizeof(time) ||
		time.tv_sec < 0 || time.tv_sec > INT32_MAX)
		return;
	put_ns((uint64_t)time.tv_sec * SPROF_NS_PER_S + (uint64_t)time.tv_nsec * part_ns, words);
}

/* Takes a process id as for wait4(2); for waitid(2) this is only one type of id. */
static void put_child(int64_t id, struct words *words)
{
	if (id > 0) {
		put(words, "child ");
		put_process(words, (pid_t)id);
	} else {
		put(words, id == -1 ? "any child" : "any child of a process group");
	}
}

static void put_waitid(const uint64_t *arguments, struct words *words)
{
	if ((int)arguments[0] == P_PID)
		put_child((int32_t)arguments[1], words);
	else if ((int)arguments[0] == P_PIDFD)
		put(words, "a child by its pidfd");
	else
		put_child((int)arguments[0] == P_ALL ? -1 : 0, words);
}

/* Writes the path as the program gave it. The folder that it was relative to is no longer known. */
static void put_path(
	const struct sprof_objects *objects, pid_t pid, uint64_t address, struct words *words)
{
	char path[256];
	size_t size = read_memory(objects, pid, address, path, sizeof(path));

	put(words, "%.*s", (int)strnlen(path, size), path);
}

/* "lock of /run/x.pid held by make (4711)" */
static void put_file_lock(struct sprof_objects *objects, pid_t pid, int fd, struct words *words)
{
	SPROF_AUTO_FREE char *locks = NULL;
	char info[512];
	long inode;
	size_t size;
	pid_t holder;

	put(words, "lock of ");
	put_descriptor(objects, pid, fd, words);
	/* A core has no processes. */
	locks = pid ? sprof_proc_read_whole("/proc/locks", &size) : NULL;
	if (!locks)
		return;
	/* Since Linux 5.14, fdinfo has the inode. */
	if (sprof_descriptor_read_info(pid, fd, info, sizeof(info)) <= 0 ||
		!sprof_proc_status_number(info, "ino", &inode))
		inode = 0;
	holder = sprof_file_locks_find(locks, pid, (uint64_t)inode);
	if (!holder)
		return;
	put(words, " held by ");
	if (holder == pid)
		put(words, "itself");
	else
		put_process(words, holder);
}

static bool is_lock_command(int command)
{
	return command == F_SETLKW || command == F_OFD_SETLKW;
}

static void put_time(const struct sprof_objects *objects, pid_t pid,
	enum sprof_blocked_argument argument, const uint64_t *from, struct words *words)
{
	if (argument == SPROF_BLOCKED_ARGUMENT_DURATION)
		put_duration(objects, pid, from[0], 1, words);
	else if (argument == SPROF_BLOCKED_ARGUMENT_TIMEVAL)
		put_duration(objects, pid, from[0], SPROF_NS_PER_US, words);
	else if (argument == SPROF_BLOCKED_ARGUMENT_MILLISECONDS)
		put_ns((from[0] & UINT32_MAX) * SPROF_NS_PER_MS, words);
	else if (from[0] & TIMER_ABSTIME)
		put(words, "until a given time");
	else
		put_duration(objects, pid, from[1], 1, words);
}

static void put_watched(struct sprof_objects *objects, pid_t pid,
	enum sprof_blocked_argument argument, const uint64_t *from, struct words *words)
{
	if (argument == SPROF_BLOCKED_ARGUMENT_EPOLL)
		put_epoll(objects, pid, (int)from[0], words);
	else if (argument == SPROF_BLOCKED_ARGUMENT_POLL)
		put_poll(objects, pid, from[0], from[1], words);
	else
		put_select(objects, pid, from, words);
}

void sprof_objects_describe(struct sprof_objects *objects, pid_t pid,
	const struct sprof_blocked_call *call, const uint64_t arguments[6], char *buffer,
	size_t size)
{
	struct words words = {.text = buffer, .size = size};
	const uint64_t *from = arguments + call->index;

	buffer[0] = '\0';
	switch (call->argument) {
	case SPROF_BLOCKED_ARGUMENT_NONE:
	case SPROF_BLOCKED_ARGUMENT_FUTEX:
		break;
	case SPROF_BLOCKED_ARGUMENT_FCNTL:
		if (is_lock_command((int)from[1]))
			put_file_lock(objects, pid, (int)from[0], &words);
		else
			put_descriptor(objects, pid, (int)from[0], &words);
		break;
	case SPROF_BLOCKED_ARGUMENT_LOCK:
		put_file_lock(objects, pid, (int)from[0], &words);
		break;
	case SPROF_BLOCKED_ARGUMENT_DESCRIPTOR:
		put_descriptor(objects, pid, (int)from[0], &words);
		break;
	case SPROF_BLOCKED_ARGUMENT_RING:
		put_ring(objects, pid, (int)from[0], &words);
		break;
	case SPROF_BLOCKED_ARGUMENT_EPOLL:
	case SPROF_BLOCKED_ARGUMENT_POLL:
	case SPROF_BLOCKED_ARGUMENT_SELECT:
		put_watched(objects, pid, call->argument, from, &words);
		break;
	case SPROF_BLOCKED_ARGUMENT_DURATION:
	case SPROF_BLOCKED_ARGUMENT_CLOCK:
	case SPROF_BLOCKED_ARGUMENT_TIMEVAL:
	case SPROF_BLOCKED_ARGUMENT_MILLISECONDS:
		put_time(objects, pid, call->argument, from, &words);
		break;
	case SPROF_BLOCKED_ARGUMENT_CHILD:
		put_child((int32_t)from[0], &words);
		break;
	case SPROF_BLOCKED_ARGUMENT_WAITID:
		put_waitid(from, &words);
		break;
	case SPROF_BLOCKED_ARGUMENT_IPC:
		put(&words, "id %d", (int)from[0]);
		break;
	case SPROF_BLOCKED_ARGUMENT_PATH:
		put_path(objects, pid, from[0], &words);
		break;
	}
}
