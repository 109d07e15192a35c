/* Names of a thread's facts. Saved profiles use these names: they are an interface. */
#include "profile/model/thread-facts.h"

enum fact {
	OWN_PID,
	OWN_TID,
	PROCESSOR,
	VOLUNTARY,
	INVOLUNTARY,
	MINOR_FAULTS,
	MAJOR_FAULTS,
	READ_BYTES,
	WRITTEN_BYTES,
	DISK_READ_BYTES,
	DISK_WRITTEN_BYTES,
	SIGNALS,
	MAX_RSS_BYTES,
	WAITS,
	WAIT_NS,
	LONGEST_WAIT_NS,
	PREEMPTIONS,
	PREEMPTED_NS,
	FACTS,
};

static const char *const names[FACTS] = {
	[OWN_PID] = "own_pid",
	[OWN_TID] = "own_tid",
	[PROCESSOR] = "processor",
	[VOLUNTARY] = "voluntary_switches",
	[INVOLUNTARY] = "involuntary_switches",
	[MINOR_FAULTS] = "minor_faults",
	[MAJOR_FAULTS] = "major_faults",
	[READ_BYTES] = "read_bytes",
	[WRITTEN_BYTES] = "written_bytes",
	[DISK_READ_BYTES] = "disk_read_bytes",
	[DISK_WRITTEN_BYTES] = "disk_written_bytes",
	[SIGNALS] = "signals",
	[MAX_RSS_BYTES] = "max_rss_bytes",
	[WAITS] = "waits",
	[WAIT_NS] = "wait_ns",
	[LONGEST_WAIT_NS] = "longest_wait_ns",
	[PREEMPTIONS] = "preemptions",
	[PREEMPTED_NS] = "preempted_ns",
};

const char *sprof_fact_name(size_t index)
{
	return index < FACTS ? names[index] : NULL;
}

struct sprof_thread_facts sprof_facts_none(void)
{
	return (struct sprof_thread_facts){.processor = -1};
}

/* For plain numbers; NULL: the fact is not one. */
static uint64_t *number_at(struct sprof_thread_facts *facts, size_t index)
{
	uint64_t *const numbers[FACTS] = {
		[VOLUNTARY] = &facts->counters[SPROF_COUNTER_VOLUNTARY],
		[INVOLUNTARY] = &facts->counters[SPROF_COUNTER_INVOLUNTARY],
		[MINOR_FAULTS] = &facts->counters[SPROF_COUNTER_MINOR_FAULTS],
		[MAJOR_FAULTS] = &facts->counters[SPROF_COUNTER_MAJOR_FAULTS],
		[READ_BYTES] = &facts->counters[SPROF_COUNTER_READ_BYTES],
		[WRITTEN_BYTES] = &facts->counters[SPROF_COUNTER_WRITTEN_BYTES],
		[DISK_READ_BYTES] = &facts->counters[SPROF_COUNTER_DISK_READ_BYTES],
		[DISK_WRITTEN_BYTES] = &facts->counters[SPROF_COUNTER_DISK_WRITTEN_BYTES],
		[SIGNALS] = &facts->counters[SPROF_COUNTER_SIGNALS],
		[MAX_RSS_BYTES] = &facts->max_rss_bytes,
		[WAITS] = &facts->waits,
		[WAIT_NS] = &facts->wait_ns,
		[LONGEST_WAIT_NS] = &facts->longest_wait_ns,
		[PREEMPTIONS] = &facts->preemptions,
		[PREEMPTED_NS] = &facts->preempted_ns,
	};

	return numbers[index];
}

bool sprof_fact_get(const struct sprof_thread_facts *facts, size_t index, uint64_t *ret)
{
	struct sprof_thread_facts copy = *facts;

	switch (index) {
	case OWN_PID:
	case OWN_TID:
		*ret = (uint64_t)(index == OWN_PID ? facts->own_pid : facts->own_tid);
		return *ret;
	case PROCESSOR:
		*ret = (uint64_t)facts->processor;
		return facts->processor >= 0;
	case VOLUNTARY:
	case INVOLUNTARY:
		*ret = *number_at(&copy, index);
		return facts->has_switches;
	case READ_BYTES:
	case WRITTEN_BYTES:
	case DISK_READ_BYTES:
	case DISK_WRITTEN_BYTES:
		*ret = *number_at(&copy, index);
		return facts->has_io;
	case WAITS:
	case WAIT_NS:
	case LONGEST_WAIT_NS:
	case PREEMPTIONS:
	case PREEMPTED_NS:
		*ret = *number_at(&copy, index);
		return facts->has_waits;
	case MAX_RSS_BYTES:
		*ret = facts->max_rss_bytes;
		return *ret;
	default:
		*ret = *number_at(&copy, index);
		return true;
	}
}

void sprof_fact_set(struct sprof_thread_facts *facts, size_t index, uint64_t value)
{
	int small = value <= INT32_MAX ? (int)value : 0;

	if (index == OWN_PID)
		facts->own_pid = small;
	else if (index == OWN_TID)
		facts->own_tid = small;
	else if (index == PROCESSOR)
		facts->processor = small;
	else
		*number_at(facts, index) = value;
	facts->has_switches |= index == VOLUNTARY || index == INVOLUNTARY;
	facts->has_io |= index >= READ_BYTES && index <= DISK_WRITTEN_BYTES;
	facts->has_waits |= index >= WAITS && index <= PREEMPTED_NS;
}
