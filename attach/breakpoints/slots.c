/*
 * Memory for moved instructions. A thread of the target maps it with mmap(2); under a seccomp
 * filter it is the padding of the target's code. Slots are never freed: a thread may be executing
 * in one at any time.
 */
#include "attach/breakpoints/slots.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/breakpoints/padding.h"
#include "attach/calls/make-call.h"
#include "base/array.h"

enum { AREA_SIZE = 64 * 1024, TRIES = 2 };

enum { FAR = 512 << 20 }; /* likely free, and well within 2 GiB */

/*
 * The thread is in a ptrace-stop, not at a system call. It maps `size` readable and executable
 * bytes, as near to an address as possible, and returns to its place. Signals are blocked
 * meanwhile. Returns false if a seccomp filter is active, the kernel refused, or the thread is
 * gone.
 */
static bool scratch_map(
	struct sprof_thread *thread, uint64_t near, size_t size, uint64_t *ret_address)
{
	const uint64_t hint = (near > 2 * (uint64_t)FAR ? near - FAR : near + FAR) & ~0xfffULL;
	const uint64_t arguments[] = {
		hint, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, UINT64_MAX, 0};

	return sprof_thread_make_call(thread, SYS_mmap, arguments, ret_address);
}

/* Returns NULL if out of memory. */
static struct sprof_code_slot_area *append(struct sprof_code_slots *slots)
{
	return sprof_array_reserve(
		       &slots->areas, &slots->capacity, slots->count + 1, sizeof(*slots->areas))
		? &slots->areas[slots->count]
		: NULL;
}

/* Returns 0 if the area is full, or too far from what the instruction refers to. */
static uint64_t write_copy(const struct sprof_code_slots *slots, struct sprof_code_slot_area *area,
	const struct sprof_displaced *displaced)
{
	const uint64_t slot = area->start + area->used;
	uint8_t bytes[SPROF_DISPLACED_MAX];
	const size_t size = sprof_displaced_write(displaced, slot, bytes);

	if (area->used + SPROF_DISPLACED_MAX > area->size || !size ||
		pwrite(slots->memory, bytes, size, (off_t)slot) != (ssize_t)size)
		return 0;
	area->used += SPROF_DISPLACED_MAX;
	return slot;
}

static uint64_t write_somewhere(
	const struct sprof_code_slots *slots, const struct sprof_displaced *displaced)
{
	uint64_t slot = 0;

	for (size_t i = 0; i < slots->count && !slot; i++)
		slot = write_copy(slots, &slots->areas[i], displaced);
	return slot;
}

static bool map_area(struct sprof_code_slots *slots, const struct sprof_code_slot_request *request)
{
	struct sprof_code_slot_area *area = append(slots);
	uint64_t start;

	if (!area || !scratch_map(request->thread, request->address, AREA_SIZE, &start))
		return false;
	*area = (struct sprof_code_slot_area){.start = start, .size = AREA_SIZE};
	slots->count++;
	return true;
}

static bool is_used(const struct sprof_code_slots *slots, const struct sprof_mapping *mapping)
{
	for (size_t i = 0; i < slots->count; i++) {
		if (slots->areas[i].start + slots->areas[i].size == mapping->end)
			return true;
	}
	return false;
}

static bool use_padding(struct sprof_code_slots *slots, const struct sprof_mapping *mapping)
{
	uint8_t page[SPROF_PADDING_PAGE];
	struct sprof_code_slot_area *area;
	uint64_t start;
	size_t offset;

	if (!mapping || is_used(slots, mapping))
		return false;
	start = mapping->end - sizeof(page);
	if (pread(slots->memory, page, sizeof(page), (off_t)start) != (ssize_t)sizeof(page))
		return false;
	offset = sprof_padding_find(page);
	area = offset < sizeof(page) ? append(slots) : NULL;
	if (!area)
		return false;
	*area = (struct sprof_code_slot_area){
		.start = start + offset, .size = sizeof(page) - offset};
	slots->count++;
	return true;
}

static uint64_t write_last(
	const struct sprof_code_slots *slots, const struct sprof_displaced *displaced)
{
	return write_copy(slots, &slots->areas[slots->count - 1], displaced);
}

uint64_t sprof_code_slots_write(
	struct sprof_code_slots *slots, const struct sprof_code_slot_request *request)
{
	uint64_t slot = write_somewhere(slots, request->displaced);

	if (slot)
		return slot;
	if (slots->tries < TRIES && map_area(slots, request))
		slot = write_last(slots, request->displaced);
	if (slot)
		return slot;
	slots->tries++;
	return use_padding(slots, request->padded) ? write_last(slots, request->displaced) : 0;
}

static bool read_slot(
	const struct sprof_code_slots *slots, uint64_t slot, uint8_t ret[SPROF_DISPLACED_MAX])
{
	return pread(slots->memory, ret, SPROF_DISPLACED_MAX, (off_t)slot) == SPROF_DISPLACED_MAX;
}

/* How many of the used bytes of an area both memories have, in whole slots. */
static uint64_t shared_size(const struct sprof_code_slots *parent,
	const struct sprof_code_slots *child, const struct sprof_code_slot_area *area)
{
	uint8_t one[SPROF_DISPLACED_MAX], other[SPROF_DISPLACED_MAX];
	uint64_t shared = 0;

	while (shared < area->used && read_slot(parent, area->start + shared, one) &&
		read_slot(child, area->start + shared, other) && !memcmp(one, other, sizeof(one)))
		shared += SPROF_DISPLACED_MAX;
	return shared;
}

bool sprof_code_slots_inherit(const struct sprof_code_slots *parent, struct sprof_code_slots *child)
{
	if (!sprof_array_reserve(
		    &child->areas, &child->capacity, parent->count + 1, sizeof(*child->areas)))
		return false;
	for (size_t i = 0; i < parent->count; i++) {
		struct sprof_code_slot_area area = parent->areas[i];

		area.used = shared_size(parent, child, &area);
		if (area.used)
			child->areas[child->count++] = area;
	}
	return true;
}

bool sprof_code_slots_have(const struct sprof_code_slots *slots, uint64_t slot)
{
	for (size_t i = 0; i < slots->count; i++) {
		if (slot >= slots->areas[i].start &&
			slot - slots->areas[i].start < slots->areas[i].used)
			return true;
	}
	return false;
}

void sprof_code_slots_finish(struct sprof_code_slots *slots)
{
	free(slots->areas);
	slots->areas = NULL;
	slots->count = slots->capacity = 0;
}
