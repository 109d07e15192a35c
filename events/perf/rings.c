/*
 * Opens events on all CPUs and reads their rings. Does not handle CPUs that come online later; does
 * not sort records of different CPUs (events/perf/sched-order.h).
 */
#include "events/perf/rings.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "attach/start/close-behind.h"
#include "base/array.h"
#include "base/clock.h"
#include "base/proc-status.h"
#include "base/proc.h"

enum { LARGEST = 512 }; /* more than any record without a stack */

/* Not before a program is launched: it should inherit the original limit. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static bool fail(int errnum, struct sprof_perf_denial *ret_denial)
{
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, errnum};
	return false;
}

static bool find_cpus(struct sprof_cpus *ret)
{
	char text[4096];

	return sprof_proc_read_path("/sys/devices/system/cpu/online", text, sizeof(text)) > 0 &&
		sprof_cpus_parse(text, ret);
}

bool sprof_perf_rings_init(struct sprof_perf_rings *rings, struct sprof_perf_denial *ret_denial)
{
	*rings = (struct sprof_perf_rings){
		.ring_size = SPROF_PERF_RING_SIZE, .largest_record = LARGEST};
	if (!find_cpus(&rings->cpus))
		return fail(ENOENT, ret_denial);
	rings->rings = calloc(rings->cpus.count, sizeof(*rings->rings));
	rings->scratch = malloc(SPROF_PERF_RECORD_MAX);
	if (!rings->rings || !rings->scratch)
		return fail(ENOMEM, ret_denial);
	rings->poll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (rings->poll_fd < 0) {
		rings->poll_fd = 0;
		return fail(errno, ret_denial);
	}
	return true;
}

static void close_all(const struct sprof_perf_rings *rings, int *fds, size_t count)
{
	if (rings->is_slow_to_close) {
		sprof_close_behind(fds, count);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

void sprof_perf_rings_finish(struct sprof_perf_rings *rings)
{
	for (size_t i = 0; rings->rings && i < rings->cpus.count; i++)
		sprof_perf_ring_unmap(&rings->rings[i]);
	for (size_t i = 0; i < rings->own_count; i++)
		sprof_perf_ring_unmap(&rings->own[i].ring);
	sprof_perf_rings_flush(rings);
	close_all(rings, rings->fds, rings->fd_count);
	if (rings->poll_fd > 0)
		close(rings->poll_fd);
	sprof_cpus_finish(&rings->cpus);
	free(rings->rings);
	free(rings->own);
	free(rings->fds);
	free(rings->closing);
	free(rings->scratch);
	*rings = (struct sprof_perf_rings){0};
}

/*
 * Edge-triggered, because the descriptor of an ended thread stays readable (perf_poll: EPOLLHUP),
 * while other threads still use its ring.
 */
static bool watch(const struct sprof_perf_rings *rings, int fd)
{
	struct epoll_event event = {.events = EPOLLIN | EPOLLET};

	return !epoll_ctl(rings->poll_fd, EPOLL_CTL_ADD, fd, &event);
}

/* The first event of a CPU, or of a thread, gets a ring, and the others write into it. */
static bool give_ring(struct sprof_perf_rings *rings, struct sprof_perf_ring *ring, int fd,
	struct sprof_perf_denial *ret_denial)
{
	if (ring->page)
		return !ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) || fail(errno, ret_denial);
	if (!sprof_perf_ring_map(ring, fd, rings->ring_size, ret_denial))
		return false;
	return watch(rings, fd) || fail(errno, ret_denial);
}

static bool add_descriptor(
	struct sprof_perf_rings *rings, int fd, struct sprof_perf_denial *ret_denial)
{
	if (!sprof_array_reserve(
		    &rings->fds, &rings->fd_capacity, rings->fd_count + 1, sizeof(*rings->fds))) {
		close(fd);
		return fail(ENOMEM, ret_denial);
	}
	rings->fds[rings->fd_count++] = fd;
	return true;
}

bool sprof_perf_rings_add(struct sprof_perf_rings *rings, struct perf_event_attr *attributes,
	pid_t tid, struct sprof_perf_denial *ret_denial)
{
	if (!rings->fd_count)
		raise_file_limit();
	for (size_t cpu = 0; cpu < rings->cpus.count; cpu++) {
		int fd = sprof_perf_open(attributes, tid, rings->cpus.items[cpu], ret_denial);

		if (fd < 0 && ret_denial->os_errno == ENODEV)
			continue; /* it has just gone offline */
		if (fd < 0)
			return false;
		if (!add_descriptor(rings, fd, ret_denial) ||
			!give_ring(rings, &rings->rings[cpu], fd, ret_denial))
			return false;
		rings->ring_size = rings->rings[cpu].size;
	}
	return true;
}

/* Returns NULL if out of memory. */
static struct sprof_perf_ring *own_ring_of(struct sprof_perf_rings *rings, pid_t tid)
{
	for (size_t i = 0; i < rings->own_count; i++) {
		if (rings->own[i].tid == tid)
			return &rings->own[i].ring;
	}
	if (!sprof_array_reserve(
		    &rings->own, &rings->own_capacity, rings->own_count + 1, sizeof(*rings->own)))
		return NULL;
	rings->own[rings->own_count++] = (struct sprof_perf_own_ring){.tid = tid};
	return &rings->own[rings->own_count - 1].ring;
}

bool sprof_perf_rings_add_single(struct sprof_perf_rings *rings, struct perf_event_attr *attributes,
	pid_t tid, struct sprof_perf_denial *ret_denial)
{
	struct sprof_perf_ring *ring = own_ring_of(rings, tid);
	int fd;

	if (!rings->fd_count)
		raise_file_limit();
	if (!ring)
		return fail(ENOMEM, ret_denial);
	fd = sprof_perf_open(attributes, tid, -1, ret_denial);
	return fd >= 0 && add_descriptor(rings, fd, ret_denial) &&
		give_ring(rings, ring, fd, ret_denial);
}

void sprof_perf_rings_end_single(struct sprof_perf_rings *rings, pid_t tid)
{
	for (size_t i = 0; i < rings->own_count; i++) {
		if (rings->own[i].tid != tid)
			continue;
		sprof_perf_ring_unmap(&rings->own[i].ring);
		rings->own[i] = rings->own[--rings->own_count];
		return;
	}
}

void sprof_perf_rings_enable(const struct sprof_perf_rings *rings, size_t first)
{
	for (size_t i = first; i < rings->fd_count; i++)
		ioctl(rings->fds[i], PERF_EVENT_IOC_ENABLE, 0);
}

void sprof_perf_rings_filter(
	const struct sprof_perf_rings *rings, size_t first, size_t count, const char *filter)
{
	for (size_t i = first; i < first + count; i++)
		ioctl(rings->fds[i], PERF_EVENT_IOC_SET_FILTER, filter);
}

bool sprof_perf_rings_id(const struct sprof_perf_rings *rings, size_t index, uint64_t *ret)
{
	return !ioctl(rings->fds[index], PERF_EVENT_IOC_ID, ret);
}

static bool has_ring(const struct sprof_perf_rings *rings, int fd)
{
	for (size_t i = 0; i < rings->cpus.count; i++) {
		if (rings->rings[i].page && rings->rings[i].fd == fd)
			return true;
	}
	for (size_t i = 0; i < rings->own_count; i++) {
		if (rings->own[i].ring.page && rings->own[i].ring.fd == fd)
			return true;
	}
	return false;
}

void sprof_perf_rings_close(struct sprof_perf_rings *rings, size_t index)
{
	if (rings->fds[index] < 0 || has_ring(rings, rings->fds[index]))
		return;
	if (sprof_array_reserve(&rings->closing, &rings->closing_capacity, rings->closing_count + 1,
		    sizeof(*rings->closing)))
		rings->closing[rings->closing_count++] = rings->fds[index];
	else
		close(rings->fds[index]);
	rings->fds[index] = -1;
}

void sprof_perf_rings_flush(struct sprof_perf_rings *rings)
{
	close_all(rings, rings->closing, rings->closing_count);
	rings->closing_count = 0;
}

/* Without a read_format, the count is all that can be read (perf_event_open(2)). */
static uint64_t count_of(int fd)
{
	uint64_t count;

	return fd >= 0 && read(fd, &count, sizeof(count)) == sizeof(count) ? count : 0;
}

uint64_t sprof_perf_rings_count(const struct sprof_perf_rings *rings)
{
	uint64_t sum = rings->retired_events;

	for (size_t i = 0; i < rings->fd_count; i++)
		sum += count_of(rings->fds[i]);
	return sum;
}

/* Returns the counts of the closed events, without those that stay open. */
static uint64_t end_events(struct sprof_perf_rings *rings, size_t first, size_t end)
{
	size_t kept = first;
	uint64_t counted = 0;

	for (size_t i = first; i < end; i++) {
		const int fd = rings->fds[i];

		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		if (has_ring(rings, fd)) {
			rings->fds[kept++] = fd;
			continue;
		}
		counted += count_of(fd);
		close(fd);
	}
	memmove(rings->fds + kept, rings->fds + end, (rings->fd_count - end) * sizeof(*rings->fds));
	rings->fd_count -= end - kept;
	return counted;
}

void sprof_perf_rings_retire(struct sprof_perf_rings *rings, size_t count)
{
	rings->retired_events += end_events(rings, 0, count);
}

void sprof_perf_rings_drop(struct sprof_perf_rings *rings, size_t first)
{
	end_events(rings, first, rings->fd_count);
}

void sprof_perf_rings_disable(const struct sprof_perf_rings *rings)
{
	for (size_t i = 0; i < rings->fd_count; i++)
		ioctl(rings->fds[i], PERF_EVENT_IOC_DISABLE, 0);
}

static void drain_ring(struct sprof_perf_rings *rings, struct sprof_perf_ring *ring,
	sprof_perf_taker take, void *data)
{
	const bool was_full = sprof_perf_ring_is_full(ring, rings->largest_record);
	struct sprof_perf_record record;

	while (sprof_perf_ring_take(ring, rings->scratch, &record)) {
		if (record.kind == SPROF_PERF_LOST)
			rings->lost += record.lost;
		if (record.kind != SPROF_PERF_UNKNOWN && record.kind != SPROF_PERF_THROTTLED)
			take(data, &record);
		/* Walking stacks takes long: meanwhile the kernel writes on. */
		sprof_perf_ring_release(ring);
	}
	/* The kernel's own LOST record would come too late, or never. */
	if (was_full) {
		record = (struct sprof_perf_record){
			.kind = SPROF_PERF_LOST,
			.lost = 1,
			.since_ns = ring->last_ns,
			.time_ns = sprof_clock_now_ns(),
		};
		rings->lost++;
		take(data, &record);
	}
}

/* Consumes the edge: otherwise the next one causes no wakeup. */
static void clear_edges(const struct sprof_perf_rings *rings)
{
	struct epoll_event events[64];

	while (epoll_wait(rings->poll_fd, events, 64, 0) == 64)
		;
}

void sprof_perf_rings_drain(struct sprof_perf_rings *rings, sprof_perf_taker take, void *data)
{
	clear_edges(rings);
	for (size_t cpu = 0; cpu < rings->cpus.count; cpu++) {
		if (rings->rings[cpu].page)
			drain_ring(rings, &rings->rings[cpu], take, data);
	}
	for (size_t i = 0; i < rings->own_count; i++) {
		if (rings->own[i].ring.page)
			drain_ring(rings, &rings->own[i].ring, take, data);
	}
}

enum {
	LARGE_RING = 4 << 20,  /* for each CPU, where it is permitted */
	STACK_RING = 32 << 20, /* the same if records contain stacks: room for some 2000 */
	ALL_RINGS = 256 << 20, /* with stacks, all CPUs together */
};

bool sprof_perf_may_lock_all(void)
{
	char status[SPROF_PROC_STATUS_MAX], value[32];

	return sprof_proc_status_read(SPROF_PROC_SELF, 0, status, sizeof(status)) > 0 &&
		sprof_proc_status_field(status, "CapEff", value, sizeof(value)) &&
		strtoull(value, NULL, 16) >> CAP_IPC_LOCK & 1;
}

/* A power of two. */
static size_t stack_ring_size(size_t cpus)
{
	size_t size = STACK_RING;

	while (size > LARGE_RING && size * cpus > ALL_RINGS)
		size /= 2;
	return size;
}

/*
 * Each ring may use its CPU's share of perf_event_mlock_kb; beyond that, all rings together are
 * limited by RLIMIT_MEMLOCK (kernel/events/core.c, perf_mmap).
 */
size_t sprof_perf_ring_size(size_t cpus, bool has_stacks)
{
	size_t size = SPROF_PERF_RING_SIZE, room = SPROF_PERF_RING_SIZE;
	struct rlimit limit;

	if (sprof_perf_may_lock_all() || getrlimit(RLIMIT_MEMLOCK, &limit) ||
		limit.rlim_cur == RLIM_INFINITY)
		return has_stacks ? stack_ring_size(cpus) : LARGE_RING;
	room += limit.rlim_cur / cpus;
	while (2 * size < room && size < LARGE_RING)
		size *= 2;
	return size;
}
