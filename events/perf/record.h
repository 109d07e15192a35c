/*
 * Parses the records in the ring of a perf event, from bytes; needs no process. The format is
 * described in perf_event_open(2) and include/uapi/linux/perf_event.h. The event's attributes must
 * come from sprof_perf_attributes().
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "events/perf/sched-record.h"

/* The record size is a 16-bit number. */
enum { SPROF_PERF_RECORD_MAX = 1 << 16 };

enum sprof_perf_kind {
	SPROF_PERF_UNKNOWN, /* a type that sprof did not ask for */
	SPROF_PERF_SWITCH,
	SPROF_PERF_SAMPLE,
	SPROF_PERF_FORK,
	SPROF_PERF_NAME,
	SPROF_PERF_EXIT,
	SPROF_PERF_LOST,
	SPROF_PERF_THROTTLED, /* the kernel has throttled the event */
	SPROF_PERF_MAPPED,    /* executable memory was mapped */
};

struct sprof_perf_record {
	enum sprof_perf_kind kind;
	uint64_t time_ns;
	uint64_t id;    /* of the event that produced it: PERF_EVENT_IOC_ID */
	pid_t pid, tid; /* FORK, NAME, EXIT: the thread concerned; else the running thread */
	int cpu;
	pid_t parent;               /* FORK: the thread that created it */
	bool switch_out, preempted; /* SWITCH */
	uint64_t lost;              /* LOST: number of records */
	uint64_t since_ns; /* LOST: time of the previous record; set by the reader of the ring */
	char name[SPROF_SCHED_NAME_SIZE]; /* NAME; truncated */
	bool is_exec;                     /* NAME: of a new program */
	uint64_t mapped, mapped_size;     /* MAPPED: address and size in bytes */
	bool is_file;                     /* a file mapping */
	uint64_t ip, address;             /* SAMPLE; 0: not in this event */
	bool in_kernel;                   /* SAMPLE: ip is a kernel address */
	/*
	 * SAMPLE with kernel stack: 64-bit addresses, innermost first, separated by the kernel's
	 * context markers (enum perf_callchain_context); unaligned
	 */
	const void *chain;
	uint64_t chain_count;
	const void *raw; /* SAMPLE: points into the record; at least 2 bytes, unaligned */
	uint32_t raw_size;
	const void *rest; /* SAMPLE: fields specific to the event (registers.h); unaligned */
	size_t rest_size;
};

/* The size of the record with this 8-byte header; less than 8: corrupt. */
size_t sprof_perf_record_size(const void *header);

/*
 * Parses one record of `size` bytes, including its header. `has_chains`: samples contain the
 * kernel's stack, which the record itself does not indicate. Returns false if it is corrupt. A type
 * not in struct sprof_perf_record becomes UNKNOWN, without other fields.
 */
SPROF_MUST_USE bool sprof_perf_record_parse(
	const void *bytes, size_t size, bool has_chains, struct sprof_perf_record *ret);
