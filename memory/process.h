/*
 * The memory of one process over time, from /proc alone: nothing stops it, and no page of it is
 * touched.
 */
#ifndef SPROF_MEMORY_PROCESS_H
#define SPROF_MEMORY_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/proc.h"
#include "memory/series.h"

/* What is read of a process; all in bytes. */
enum sprof_memory_metric {
	SPROF_MEMORY_RSS,
	SPROF_MEMORY_PSS,
	SPROF_MEMORY_USS,
	SPROF_MEMORY_SWAP,
	SPROF_MEMORY_ANON,  /* of the RSS: heap, stacks */
	SPROF_MEMORY_FILE,  /* of the RSS: programs, libraries, mapped files */
	SPROF_MEMORY_SHMEM, /* of the RSS: shared memory, tmpfs */
	SPROF_MEMORY_METRICS,
};

/* Moments whose mappings are kept. */
enum sprof_memory_moment {
	SPROF_MEMORY_START,
	SPROF_MEMORY_PEAK,
	SPROF_MEMORY_END,
	SPROF_MEMORY_MOMENTS,
};

struct sprof_memory_process {
	pid_t pid;
	pid_t tid; /* of the thread whose files are read; 0: the first one, as long as it lives */
	uint64_t
		started; /* proc_pid_stat(5): starttime, which tells processes with one pid apart */
	char comm[SPROF_COMM_MAX];
	struct sprof_series series[SPROF_MEMORY_METRICS];
	uint64_t kernels_peak; /* VmHWM: also of what came and went between two readings */
	uint64_t next_map_ns;  /* when smaps_rollup may be read again */
	uint64_t mapped_peak;  /* the RSS when the mappings of the peak were read */
	char *mappings[SPROF_MEMORY_MOMENTS]; /* texts of smaps; NULL: not read */
	uint64_t mappings_ns[SPROF_MEMORY_MOMENTS];
	bool has_ended, is_denied; /* it is gone; another user's: PSS and USS are not known */
};

/* Zeroed it may be finished. False: there is no such process. */
SPROF_MUST_USE bool sprof_memory_process_begin(struct sprof_memory_process *process, pid_t pid);
void sprof_memory_process_finish(struct sprof_memory_process *process);

struct sprof_memory_look {
	uint64_t now_ns;
	bool is_last;        /* all is read */
	bool wants_mappings; /* smaps as well */
	unsigned share;      /* what is costly gets at most 1/share of the time */
};

/*
 * Reads what is due. smaps_rollup and smaps make the kernel visit each page, so they are read only as
 * often as their share of the time allows. Of a process that is gone, the last figures stay.
 */
void sprof_memory_process_read(
	struct sprof_memory_process *process, const struct sprof_memory_look *look);

/* Whether a figure has been read. */
static inline bool sprof_memory_process_has(
	const struct sprof_memory_process *process, enum sprof_memory_metric metric)
{
	return process->series[metric].count;
}

#endif
