/* The functions probed by `sprof trace`: from the user's text to a file and an offset in it. */
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
	/* Where to look for functions without a file: in a program to start, or in a process. */
	const char *program; /* NULL: the process */
	pid_t pid;

	struct sprof_probe *items; /* paths are owned */
	size_t count, capacity;
	int64_t next_number;
};

/*
 * Adds FUNC, FUNC@FILE or FUNC@"FILE". FUNC is a name as nm or a report shows it, or a link-time
 * address 0x1234. A name shared by several functions selects all of them. *ret_number is their
 * common number. Returns false if there is none; the error has the column.
 */
SPROF_MUST_USE bool sprof_trace_probes_add(struct sprof_trace_probes *probes,
	const struct sprof_event_suffix *name, int64_t *ret_number, struct sprof_error *err);

void sprof_trace_probes_finish(struct sprof_trace_probes *probes);

#endif
