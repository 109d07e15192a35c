/*
 * Has the kernel's workers read for it, by io_uring(7), then says for each of them its id and what it has used of
 * CPUs, in ns. With `poll`, a thread of the kernel takes the requests, too. Ends with 77 if io_uring is forbidden.
 *
 *     ring READS [poll]
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/io_uring.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/targets/target.h"

enum { ENTRIES = 4, SIZE = 1 << 20, ROOM = 1 << 16, SKIPPED = 77, IDLE_MS = 1 };

struct ring {
	int fd;
	struct io_uring_params parameters;
	uint8_t *shared;
	struct io_uring_sqe *entries;
};

static uint8_t buffers[ENTRIES][SIZE];

static _Atomic uint32_t *word(const struct ring *ring, uint32_t offset)
{
	return (_Atomic uint32_t *)(void *)(ring->shared + offset);
}

static void set_up(struct ring *ring, bool polls)
{
	ring->parameters = (struct io_uring_params){
		.flags = polls ? IORING_SETUP_SQPOLL : 0, .sq_thread_idle = IDLE_MS};
	ring->fd = (int)syscall(SYS_io_uring_setup, ENTRIES, &ring->parameters);
	if (ring->fd < 0 && (errno == ENOSYS || errno == EPERM))
		exit(SKIPPED);
	if (ring->fd < 0)
		target_fail("io_uring_setup");
	ring->shared =
		mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
	ring->entries = mmap(NULL, ENTRIES * sizeof(*ring->entries), PROT_READ | PROT_WRITE,
		MAP_SHARED, ring->fd, IORING_OFF_SQES);
	if (ring->shared == MAP_FAILED || (void *)ring->entries == MAP_FAILED)
		target_fail("mmap");
}

static bool is_poller_asleep(const struct ring *ring)
{
	return atomic_load(word(ring, ring->parameters.sq_off.flags)) & IORING_SQ_NEED_WAKEUP;
}

static void submit(struct ring *ring)
{
	const bool polls = ring->parameters.flags & IORING_SETUP_SQPOLL;
	const unsigned flags = IORING_ENTER_GETEVENTS |
		(polls && is_poller_asleep(ring) ? IORING_ENTER_SQ_WAKEUP : 0);

	while (syscall(SYS_io_uring_enter, ring->fd, ENTRIES, ENTRIES, flags, NULL, 0) < 0) {
		if (errno != EINTR)
			target_fail("io_uring_enter");
	}
}

/* Takes what is complete; a read that was broken off is a failure. */
static unsigned reap(struct ring *ring)
{
	const struct io_cqring_offsets *at = &ring->parameters.cq_off;
	const struct io_uring_cqe *completed = (void *)(ring->shared + at->cqes);
	const uint32_t tail = atomic_load(word(ring, at->tail));
	uint32_t head = atomic_load(word(ring, at->head));
	const uint32_t first = head;

	for (; head != tail; head++) {
		if (completed[head % ring->parameters.cq_entries].res != SIZE)
			target_fail("read");
	}
	atomic_store(word(ring, at->head), head);
	return head - first;
}

static void read_all(struct ring *ring, int zeros)
{
	const uint32_t tail = atomic_load(word(ring, ring->parameters.sq_off.tail));

	for (uint32_t i = 0; i < ENTRIES; i++) {
		ring->entries[i] = (struct io_uring_sqe){
			.opcode = IORING_OP_READ,
			.flags = IOSQE_ASYNC,
			.fd = zeros,
			.addr = (uintptr_t)buffers[i],
			.len = SIZE,
		};
		atomic_store(word(ring,
				     ring->parameters.sq_off.array +
					     (tail + i) % ENTRIES * (uint32_t)sizeof(uint32_t)),
			i);
	}
	atomic_store(word(ring, ring->parameters.sq_off.tail), tail + ENTRIES);
	for (unsigned done = 0; done < ENTRIES; done += reap(ring))
		submit(ring);
}

static bool read_task(const char *tid, const char *name, char *text, int size)
{
	char path[64];
	FILE *file;
	bool ok;

	snprintf(path, sizeof(path), "/proc/self/task/%.16s/%s", tid, name);
	file = fopen(path, "r");
	if (!file)
		return false;
	ok = fgets(text, size, file);
	fclose(file);
	return ok;
}

static void say_workers(void)
{
	DIR *tasks = opendir("/proc/self/task");
	char comm[64], used[64];
	struct dirent *task;

	while (tasks && (task = readdir(tasks))) {
		if (read_task(task->d_name, "comm", comm, sizeof(comm)) &&
			!strncmp(comm, "iou-", 4) &&
			read_task(task->d_name, "schedstat", used, sizeof(used)))
			target_print("worker %s %.*s", task->d_name, (int)strcspn(used, " "), used);
	}
}

int main(int argc, char *argv[])
{
	const int zeros = open("/dev/zero", O_RDONLY);
	struct ring ring = {.fd = -1};

	target_init(&argc, argv);
	set_up(&ring, argc > 2 && !strcmp(argv[2], "poll"));
	for (long i = target_number(argc, argv, 1, ENTRIES); i > 0; i -= ENTRIES)
		read_all(&ring, zeros);
	/* The kernel only sets a flag. */
	while ((ring.parameters.flags & IORING_SETUP_SQPOLL) && !is_poller_asleep(&ring))
		sched_yield();
	say_workers();
	return 0;
}
