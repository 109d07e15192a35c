/*
 * One ring: maps it and takes records out of it. Does not handle several rings (rings.h). The
 * kernel advances data_head past what it has written and never overwrites the bytes between
 * data_tail and data_head: if there is no room, it counts the record as lost.
 */
#include "events/perf/ring.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEADER_SIZE = sizeof(struct perf_event_header) };

bool sprof_perf_ring_map(
	struct sprof_perf_ring *ring, int fd, size_t size, struct sprof_perf_denial *ret_denial)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *map = MAP_FAILED;

	for (; size >= page; size /= 2) {
		map = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED || (errno != EPERM && errno != ENOMEM))
			break;
	}
	if (map == MAP_FAILED) {
		*ret_denial = sprof_perf_denial_of(errno);
		if (errno == EPERM || errno == ENOMEM)
			ret_denial->reason = SPROF_PERF_NO_LOCKED_MEMORY;
		return false;
	}
	*ring = (struct sprof_perf_ring){
		.page = map, .data = (unsigned char *)map + page, .size = size, .fd = fd};
	return true;
}

void sprof_perf_ring_unmap(struct sprof_perf_ring *ring)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (ring->page)
		munmap(ring->page, page + ring->size);
	*ring = (struct sprof_perf_ring){0};
}

/* The bytes of the next record in one piece. */
static const unsigned char *whole(
	const struct sprof_perf_ring *ring, size_t size, unsigned char *scratch)
{
	const size_t at = (size_t)(ring->position & (ring->size - 1));
	const size_t before_end = ring->size - at;

	if (size <= before_end)
		return ring->data + at;
	memcpy(scratch, ring->data + at, before_end);
	memcpy(scratch + before_end, ring->data, size - before_end);
	return scratch;
}

/* The size of the next record; 0: corrupt. */
static size_t next_size(
	const struct sprof_perf_ring *ring, uint64_t available, unsigned char *scratch)
{
	size_t size;

	if (available < HEADER_SIZE || available > ring->size)
		return 0;
	size = sprof_perf_record_size(whole(ring, HEADER_SIZE, scratch));
	return size >= HEADER_SIZE && size <= available ? size : 0;
}

bool sprof_perf_ring_take(
	struct sprof_perf_ring *ring, unsigned char *scratch, struct sprof_perf_record *ret)
{
	/* Pairs with the kernel's barrier between data and data_head (perf_event_open(2)). */
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	size_t size;

	if (ring->position == head)
		return false;
	size = next_size(ring, head - ring->position, scratch);
	if (!size ||
		!sprof_perf_record_parse(whole(ring, size, scratch), size, ring->has_chains, ret)) {
		*ret = (struct sprof_perf_record){
			.kind = SPROF_PERF_LOST, .lost = 1, .time_ns = ring->last_ns};
		ring->position = head;
	} else {
		ring->position += size;
	}
	if (ret->kind == SPROF_PERF_LOST)
		ret->since_ns = ring->last_ns;
	if (ret->time_ns)
		ring->last_ns = ret->time_ns;
	return true;
}

bool sprof_perf_ring_is_full(const struct sprof_perf_ring *ring, size_t largest)
{
	const uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	return head - ring->position + largest > ring->size;
}

void sprof_perf_ring_release(struct sprof_perf_ring *ring)
{
	__atomic_store_n(&ring->page->data_tail, ring->position, __ATOMIC_RELEASE);
}
