/*
 * Shared by commands that trace events: which target, for how long, and the run itself, with event
 * sources (events/source.h) instead of samples.
 */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/cli/command.h"
#include "cmd/cli/processes.h"
#include "cmd/record/tracing.h"
#include "cmd/saved/naming.h"
#include "cmd/signals.h"
#include "events/source.h"
#include "profile/model/profile.h"

struct sprof_event_run_options {
	struct sprof_processes processes; /* first: its rows are at the same offset */
	uint64_t duration_ns;             /* 0: to the end */
};

_Static_assert(offsetof(struct sprof_event_run_options, processes) == 0, "SPROF_EVENT_RUN_GROUPS");

/* Groups of a command's table, at the struct's offset. */
#define SPROF_EVENT_RUN_GROUPS(title, base) \
	{(title), sprof_processes_table, (base)}, \
		{(title), sprof_processes_children_table, (base)}, \
		{(title), sprof_processes_started_table, (base)}, \
	{ \
		(title), sprof_event_run_table, (base) \
	}
extern const struct sprof_option sprof_event_run_table[];

/* Checks that either a process or a program is given; `command` is for the message. */
bool sprof_event_run_check(const char *command, const struct sprof_event_run_options *options,
	char *const operands[], struct sprof_error *err) SPROF_MUST_USE;

struct sprof_event_run {
	struct sprof_subject subject;
	struct sprof_signals signals;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	char *command; /* of the target */
	/* the threads, their names and times; samples only if requested */
	struct sprof_profile *profile;
	struct sprof_tracing tracing;
	struct sock_fprog filter;
	char **environment;
};

/*
 * Creates everything that a run needs. Call sprof_event_run_finish() whether or not this succeeds.
 */
bool sprof_event_run_init(struct sprof_event_run *watching,
	const struct sprof_event_run_options *options, char *const operands[],
	struct sprof_error *err) SPROF_MUST_USE;
/* Adds sampling to the run; call it before the run. */
void sprof_event_run_sample(struct sprof_event_run *watching, double rate_hz);
/*
 * Runs until the duration or the target ends, or a signal arrives. Before, the caller sets the
 * subject's calls and filter, and the tracing's events. On success *ret_exit is the program's exit
 * code as a shell reports it, or 0.
 */
bool sprof_event_run_run(
	struct sprof_event_run *watching, int *ret_exit, struct sprof_error *err) SPROF_MUST_USE;
/*
 * Traces system calls. If only some numbers are wanted (count 0: all) and the whole program with
 * all descendants is traced, a seccomp filter selects them. It can't be removed, and processes
 * under it can't be released: the run continues until the last process ends. Otherwise each call is
 * traced.
 */
bool sprof_event_run_calls(struct sprof_event_run *watching, const int64_t *numbers, size_t count,
	struct sprof_error *err) SPROF_MUST_USE;
/* Resolves the profile's names, for samples and stacks of events. Call it after the run. */
bool sprof_event_run_name(struct sprof_event_run *watching, const struct sprof_naming *options,
	struct sprof_error *err) SPROF_MUST_USE;
void sprof_event_run_finish(struct sprof_event_run *watching);
