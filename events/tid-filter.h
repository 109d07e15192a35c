/*
 * A tracepoint's filter for the threads of one process, as text.
 *
 * A system has one sched_switch for all threads, and a filter that names each thread would be as
 * long as there are threads, and be late for each new one. So the filter has ranges of ids, and
 * takes everything above the id that the kernel gave last: ids rise. It lets too much pass, never
 * too little, except when ids begin anew at the bottom (kernel.pid_max).
 */
#ifndef SPROF_EVENTS_TID_FILTER_H
#define SPROF_EVENTS_TID_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/attributes.h"

/* The kernel takes less than a page (kernel/events/core.c, perf_event_set_filter). */
enum { SPROF_TID_FILTER_MAX = 4000 };

/*
 * Writes a filter for these fields, of which one must be one of these ids or above `last`. The ids
 * are sorted by this function. `fields` ends with NULL.
 */
void sprof_tid_filter_write(
	const char *const fields[], pid_t *tids, size_t count, pid_t last, char *ret, size_t size);

#endif
