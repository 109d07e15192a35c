/*
 * The functions that `sprof trace` probes: from what the user writes to a file and a place in it.
 */
#ifndef SPROF_CMD_TRACE_PROBES_H
#define SPROF_CMD_TRACE_PROBES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "events/event-list.h"
#include "events/recorded-point.h"

struct sprof_trace_probes {
	/* Whose functions are meant where no file is named: a program to start, or a process. */
	const char *program; /* NULL: the process */
	pid_t pid;

	struct sprof_probe *items; /* their paths are owned */
	size_t count, capacity;
	int64_t next_number;
};

/*
 * Adds FUNC, FUNC@FILE or FUNC@"FILE", of which FUNC is a name as nm or a report has it, or a link-time
 * address 0x1234. A name that several functions have means all of them. *ret_number is what they
 * have in common. False: there is none, and the error has the column.
 */
SPROF_MUST_USE bool sprof_trace_probes_add(struct sprof_trace_probes *probes,
	const struct sprof_event_suffix *name, int64_t *ret_number, struct sprof_error *err);

void sprof_trace_probes_finish(struct sprof_trace_probes *probes);

#endif
