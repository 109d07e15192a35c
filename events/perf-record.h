/*
 * The records in the ring of a perf event, from bytes: no process is needed. perf_event_open(2) and
 * include/uapi/linux/perf_event.h describe the format. It is the one of events whose attribute comes
 * from sprof_perf_attributes().
 */
#ifndef SPROF_EVENTS_PERF_RECORD_H
#define SPROF_EVENTS_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/sched-record.h"

/* A record's size is a 16-bit number. */
enum { SPROF_PERF_RECORD_MAX = 1 << 16 };

enum sprof_perf_kind {
	SPROF_PERF_UNKNOWN, /* one that sprof did not ask for */
	SPROF_PERF_SWITCH,
	SPROF_PERF_SAMPLE,
	SPROF_PERF_FORK,
	SPROF_PERF_NAME,
	SPROF_PERF_EXIT,
	SPROF_PERF_LOST,
	SPROF_PERF_THROTTLED, /* the kernel keeps the event off for a while */
	SPROF_PERF_MAPPED,    /* code was mapped */
};

struct sprof_perf_record {
	enum sprof_perf_kind kind;
	uint64_t time_ns;
	uint64_t id;    /* of the event that gave it: PERF_EVENT_IOC_ID */
	pid_t pid, tid; /* of FORK, NAME, EXIT: whom it is about; else who ran */
	int cpu;
	pid_t parent;               /* FORK: the thread that has started it */
	bool switch_out, preempted; /* SWITCH */
	uint64_t lost;              /* LOST: how many */
	uint64_t
		since_ns; /* LOST: of the ring's record before it; the reader of the ring sets it */
	char name[SPROF_SCHED_NAME_SIZE]; /* NAME; cut if it is longer */
	bool is_exec;                     /* NAME: it is that of another program */
	uint64_t mapped, mapped_size;     /* MAPPED: address, and bytes; */
	bool is_file;                     /* of a file */
	uint64_t ip, address;             /* SAMPLE; 0: the event has none */
	bool in_kernel;                   /* SAMPLE: ip is the kernel's */
	/*
	 * SAMPLE of an event that has the kernel's stack: 64-bit addresses, innermost first, with the
	 * kernel's marks between (enum perf_callchain_context); not aligned
	 */
	const void *chain;
	uint64_t chain_count;
	const void *raw; /* SAMPLE: points into the bytes; at least 2 bytes, not aligned */
	uint32_t raw_size;
	const void
		*rest; /* SAMPLE: what the event alone asked for (perf-registers.h); not aligned */
	size_t rest_size;
};

/* The size of the record that begins with these 8 bytes of header; less than 8: damaged. */
size_t sprof_perf_record_size(const void *header);

/*
 * Parses one record of `size` bytes, with its header. `has_chains`: samples have the kernel's stack, which
 * they don't say themselves. False: it is damaged. A record that has no
 * part in struct sprof_perf_record is UNKNOWN, without other fields.
 */
SPROF_MUST_USE bool sprof_perf_record_parse(
	const void *bytes, size_t size, bool has_chains, struct sprof_perf_record *ret);

#endif
