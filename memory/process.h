/*
 * The memory of one process over time, from /proc only: the process is not stopped, and its pages
 * are not touched.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/proc.h"
#include "memory/series.h"
#include "memory/smaps.h"

/* Figures of a process, all in bytes. */
enum sprof_memory_metric {
	SPROF_MEMORY_RSS,
	SPROF_MEMORY_PSS,
	SPROF_MEMORY_USS,
	SPROF_MEMORY_SWAP,
	SPROF_MEMORY_ANON,  /* part of RSS: heap, stacks */
	SPROF_MEMORY_FILE,  /* part of RSS: programs, libraries, mapped files */
	SPROF_MEMORY_SHMEM, /* part of RSS: shared memory, tmpfs */
	SPROF_MEMORY_METRICS,
};

/* Times at which mappings are kept. */
enum sprof_memory_moment {
	SPROF_MEMORY_START,
	SPROF_MEMORY_PEAK,
	SPROF_MEMORY_END,
	SPROF_MEMORY_MOMENTS,
};

struct sprof_memory_process {
	pid_t pid;
	pid_t tid; /* tid of the files that are read; 0: the leader, while it lives */
	/* proc_pid_stat(5): starttime, which distinguishes processes with the same pid */
	uint64_t started;
	char comm[SPROF_COMM_MAX];
	struct sprof_series series[SPROF_MEMORY_METRICS];
	struct sprof_smaps_figures
		whole;         /* from the last smaps_rollup, all figures of one moment */
	uint64_t whole_ns;     /* when; 0: never */
	uint64_t kernels_peak; /* VmHWM: includes memory used only between two readings */
	uint64_t next_map_ns;  /* earliest time of the next smaps_rollup reading */
	uint64_t mapped_peak;  /* RSS when the peak's mappings were read */
	char *mappings[SPROF_MEMORY_MOMENTS]; /* texts of smaps; NULL: not read */
	uint64_t mappings_ns[SPROF_MEMORY_MOMENTS];
	bool has_ended, is_denied; /* is_denied: another user's, so PSS and USS are unknown */
};

/* Zeroed may be finished. Returns false if there is no such process. */
SPROF_MUST_USE bool sprof_memory_process_begin(struct sprof_memory_process *process, pid_t pid);
void sprof_memory_process_finish(struct sprof_memory_process *process);

struct sprof_memory_look {
	uint64_t now_ns;
	bool is_last;        /* read everything */
	bool wants_mappings; /* also read smaps */
	unsigned share;      /* expensive readings take at most 1/share of the time */
};

/*
 * Reads what is due. smaps_rollup and smaps make the kernel visit each page, so they are read only
 * as often as `share` permits. For a process that is gone, the last figures stay.
 */
void sprof_memory_process_read(
	struct sprof_memory_process *process, const struct sprof_memory_look *look);

/* Whether a figure has been read. */
static inline bool sprof_memory_process_has(
	const struct sprof_memory_process *process, enum sprof_memory_metric metric)
{
	return process->series[metric].count;
}
