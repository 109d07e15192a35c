/*
 * A tracepoint filter for the threads of one process, as text.
 *
 * sched_switch covers all threads of the system. A filter that lists every tid would grow with the
 * number of threads and come too late for new ones. So the filter consists of ranges of tids, and
 * of everything above the tid that the kernel assigned last, because tids increase. It may pass too
 * much, never too little, except when tids wrap around at kernel.pid_max.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

/* The kernel's limit is one page (kernel/events/core.c, perf_event_set_filter). */
enum { SPROF_TID_FILTER_MAX = 4000 };

/*
 * Writes a filter that passes records in which one of the fields is one of the ids or above `last`.
 * Sorts the ids. `fields` ends with NULL.
 */
void sprof_tid_filter_write(
	const char *const fields[], pid_t *tids, size_t count, pid_t last, char *ret, size_t size);
