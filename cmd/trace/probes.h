/* The functions probed by `sprof trace`: from the user's text to a file and an offset in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/functions/functions.h"
#include "events/language/event-list.h"
#include "events/recorded/point.h"

/* A place of a function: its start, or its return. */
struct sprof_trace_place {
	const char *path; /* owned */
	uint64_t device, inode;
	uint64_t address, offset; /* link-time; in the file */
	bool is_return;
	bool is_listed; /* a function begins there */
	int64_t number; /* number in its events; several places may share one */
};

struct sprof_trace_probes {
	/* Where to look for functions without a file: in a program to start, or in a process. */
	const char *program; /* NULL: the process */
	pid_t pid;

	struct sprof_trace_place *items;
	size_t count, capacity;
	struct sprof_probe *begins; /* NULL: not built yet */
	int64_t next_number;
};

/*
 * Adds FUNC, FUNC@FILE or FUNC@"FILE". FUNC is a name as nm or a report shows it, or a link-time
 * address 0x1234. A name shared by several functions selects all of them. *ret_number is their
 * common number. Returns false if there is none; the error has the column.
 */
SPROF_MUST_USE bool sprof_trace_probes_add(struct sprof_trace_probes *probes,
	const struct sprof_event_suffix *name, int64_t *ret_number, struct sprof_error *err);

bool sprof_trace_probes_have_returns(const struct sprof_trace_probes *probes);

/* All of them, none of which is a return, for the kernel. Returns NULL if out of memory. */
SPROF_MUST_USE const struct sprof_probe *sprof_trace_probes_begins(
	struct sprof_trace_probes *probes);

/* Whether breakpoints can be set at all of them. */
SPROF_MUST_USE bool sprof_trace_probes_check(
	const struct sprof_trace_probes *probes, struct sprof_error *err);
/* Whether one of them is at this link-time address of a file. */
bool sprof_trace_probes_want(const struct sprof_trace_probes *probes,
	const struct sprof_module *module, uint64_t address);
/*
 * Finds the next place, from index *next on, that is this function's start or return, and sets
 * *ret_number. Returns false if there is none.
 */
bool sprof_trace_probes_next(const struct sprof_trace_probes *probes,
	const struct sprof_function *function, bool is_return, size_t *next, int64_t *ret_number);

void sprof_trace_probes_finish(struct sprof_trace_probes *probes);
