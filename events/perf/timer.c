/*
 * The timer is a software event on the CPU clock (perf_event_open(2)). Its ring wakes no thread:
 * the owner polls it. Does not handle system calls: a record does not contain their number.
 */
#include "events/perf/timer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "events/perf/ring.h"

enum {
	REST_SIZE = 1024, /* more than all of a record except for the stack */
	LEAST_RECORDS = 2,
	MOST_MAPPINGS = 64,
};

struct sprof_perf_timer {
	int fd;
	struct sprof_perf_ring ring;
	uint64_t seen; /* up to this position it was looked for new mappings: these */
	struct sprof_perf_timer_mapping mappings[MOST_MAPPINGS];
	size_t mapping_count;
	uint64_t mapped_ns; /* time of the last mapping taken out, or of the timer's opening */
	uint64_t taken_ns;  /* of the last record that has been taken out */
};

static struct perf_event_attr attributes_of(const struct sprof_perf_timer_plan *plan)
{
	struct perf_event_attr attributes =
		sprof_perf_attributes(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);

	attributes.sample_period = plan->period_ns;
	attributes.exclude_kernel = 0;
	if (plan->with_chains) {
		attributes.sample_type |= PERF_SAMPLE_CALLCHAIN;
		attributes.exclude_callchain_user = 1;
		attributes.sample_max_stack = SPROF_PERF_TIMER_CHAIN;
	}
	sprof_perf_ask_stack(&attributes);
	attributes.sample_stack_user = (uint32_t)plan->stack_size;
	attributes.mmap = 1;
	/* The kernel takes the size of the ring, if that is less. */
	attributes.wakeup_watermark = UINT32_MAX;
	return attributes;
}

static size_t ring_size(const struct sprof_perf_timer_plan *plan)
{
	const size_t wanted = plan->records * (plan->stack_size + REST_SIZE);
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < wanted)
		size *= 2;
	return size;
}

/* On false, *ret_denial is set. */
static bool map_ring(struct sprof_perf_timer *timer, const struct sprof_perf_timer_plan *plan,
	struct sprof_perf_denial *ret_denial)
{
	if (!sprof_perf_ring_map(&timer->ring, timer->fd, ring_size(plan), ret_denial))
		return false;
	timer->ring.has_chains = plan->with_chains;
	if (timer->ring.size >= LEAST_RECORDS * (plan->stack_size + REST_SIZE))
		return true;
	*ret_denial = (struct sprof_perf_denial){SPROF_PERF_NO_LOCKED_MEMORY, EPERM};
	return false;
}

bool sprof_perf_timer_open(struct sprof_perf_timer_plan *plan, struct sprof_perf_timer **ret,
	struct sprof_perf_denial *ret_denial)
{
	struct perf_event_attr attributes = attributes_of(plan);
	struct sprof_perf_timer *timer = malloc(sizeof(*timer));

	if (!timer) {
		*ret_denial = (struct sprof_perf_denial){SPROF_PERF_OTHER, ENOMEM};
		return false;
	}
	*timer = (struct sprof_perf_timer){
		.fd = sprof_perf_open(&attributes, plan->tid, -1, ret_denial),
		.mapped_ns = sprof_clock_now_ns(),
	};
	if (timer->fd < 0 || !map_ring(timer, plan, ret_denial)) {
		sprof_perf_timer_close(timer);
		return false;
	}
	plan->records = timer->ring.size / (plan->stack_size + REST_SIZE);
	*ret = timer;
	return true;
}

void sprof_perf_timer_close(struct sprof_perf_timer *timer)
{
	if (!timer)
		return;
	sprof_perf_ring_unmap(&timer->ring);
	if (timer->fd >= 0)
		close(timer->fd);
	free(timer);
}

/* One of our own thread that hardly ever goes off. */
static bool open_own(struct sprof_perf_timer **ret, struct sprof_perf_denial *ret_denial)
{
	struct sprof_perf_timer_plan plan = {
		.period_ns = UINT32_MAX,
		.stack_size = 8,
		.records = LEAST_RECORDS,
	};

	return sprof_perf_timer_open(&plan, ret, ret_denial);
}

bool sprof_perf_timer_is_permitted(struct sprof_perf_denial *ret_denial)
{
	struct sprof_perf_timer *timer;

	if (!open_own(&timer, ret_denial))
		return false;
	sprof_perf_timer_close(timer);
	return true;
}

struct sprof_perf_timer *sprof_perf_timer_keep(void)
{
	struct sprof_perf_denial denial;
	struct sprof_perf_timer *timer;

	return open_own(&timer, &denial) ? timer : NULL;
}

/* A return address may be after the end of its function. */
static void copy_chain(const struct sprof_perf_record *record, struct sprof_perf_timer_record *ret)
{
	const unsigned char *at = record->chain;
	uint64_t address;

	for (uint64_t i = 0; i < record->chain_count && ret->kernel_count < SPROF_PERF_TIMER_CHAIN;
		i++) {
		memcpy(&address, at + i * sizeof(address), sizeof(address));
		if (address >= (uint64_t)PERF_CONTEXT_MAX)
			continue;
		ret->kernel[ret->kernel_count] = ret->kernel_count ? address - 1 : address;
		ret->kernel_count++;
	}
}

static bool convert(const struct sprof_perf_record *record, struct sprof_perf_timer_record *ret)
{
	*ret = (struct sprof_perf_timer_record){
		.time_ns = record->time_ns, .cpu = record->cpu, .in_kernel = record->in_kernel};
	switch (record->kind) {
	case SPROF_PERF_SAMPLE:
		ret->kind = SPROF_PERF_TIMER_SAMPLE;
		copy_chain(record, ret);
		if (sprof_perf_user_read(record, true, &ret->user))
			return true;
		/* Without registers: that sample is lost. */
		ret->kind = SPROF_PERF_TIMER_LOST;
		ret->lost = 1;
		return true;
	case SPROF_PERF_LOST:
		ret->kind = SPROF_PERF_TIMER_LOST;
		ret->lost = record->lost;
		return true;
	case SPROF_PERF_THROTTLED:
		ret->kind = SPROF_PERF_TIMER_THROTTLED;
		return true;
	case SPROF_PERF_UNKNOWN:
	case SPROF_PERF_SWITCH:
	case SPROF_PERF_FORK:
	case SPROF_PERF_NAME:
	case SPROF_PERF_EXIT:
	case SPROF_PERF_MAPPED:
		break;
	}
	return false;
}

static void forget_oldest(struct sprof_perf_timer *timer)
{
	timer->mapping_count--;
	memmove(timer->mappings, timer->mappings + 1,
		timer->mapping_count * sizeof(*timer->mappings));
}

/*
 * Merges two mappings into one with the second's time that covers both and all addresses between
 * them.
 */
static void join(
	struct sprof_perf_timer_mapping *first, const struct sprof_perf_timer_mapping *second)
{
	first->time_ns = second->time_ns;
	first->start = first->start < second->start ? first->start : second->start;
	first->end = first->end > second->end ? first->end : second->end;
}

/* A JIT compiler maps the same memory again to change its protection. */
static void note_mapping(struct sprof_perf_timer *timer, const struct sprof_perf_record *record)
{
	const struct sprof_perf_timer_mapping mapping = {
		record->time_ns, record->mapped, record->mapped + record->mapped_size};

	if (record->kind != SPROF_PERF_MAPPED || !record->is_file)
		return;
	if (timer->mapping_count == MOST_MAPPINGS && timer->mappings[0].time_ns <= timer->taken_ns)
		forget_oldest(timer);
	if (timer->mapping_count == MOST_MAPPINGS)
		join(&timer->mappings[MOST_MAPPINGS - 1], &mapping);
	else
		timer->mappings[timer->mapping_count++] = mapping;
}

/*
 * Looks for new mappings in the records so far. Between two records, the reader may read the
 * mappings, which are then of a later moment.
 */
static void look_ahead(struct sprof_perf_timer *timer, unsigned char *scratch)
{
	struct sprof_perf_ring ring = timer->ring;
	struct sprof_perf_record record;

	ring.position = timer->seen;
	while (sprof_perf_ring_take(&ring, scratch, &record))
		note_mapping(timer, &record);
	timer->seen = ring.position;
}

bool sprof_perf_timer_take(struct sprof_perf_timer *timer, uint64_t until_ns,
	unsigned char *scratch, struct sprof_perf_timer_record *ret)
{
	struct sprof_perf_ring *ring = &timer->ring;
	struct sprof_perf_record record;
	uint64_t position;

	/* The stack of the record before is no longer needed. */
	sprof_perf_ring_release(ring);
	look_ahead(timer, scratch);
	for (;;) {
		position = ring->position;
		/* Only up to where mappings were searched. */
		if (position >= timer->seen || !sprof_perf_ring_take(ring, scratch, &record))
			return false;
		if (record.time_ns > until_ns)
			break;
		timer->taken_ns = record.time_ns;
		if (convert(&record, ret)) {
			ret->mappings = timer->mappings;
			ret->mapping_count = timer->mapping_count;
			ret->mapped_ns = timer->mapped_ns;
			return true;
		}
		if (record.kind == SPROF_PERF_MAPPED && record.is_file)
			timer->mapped_ns = record.time_ns;
	}
	ring->position = position;
	return false;
}

void sprof_perf_timer_set_period(const struct sprof_perf_timer *timer, uint64_t period_ns)
{
	ioctl(timer->fd, PERF_EVENT_IOC_PERIOD, &period_ns);
}
