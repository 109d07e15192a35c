/*
 * What the commands that trace events have in common: whom they trace, for how long, and the run
 * itself, in which sources of events (events/source.h) take the place of samples.
 */
#ifndef SPROF_CMD_WATCHING_H
#define SPROF_CMD_WATCHING_H

#include <linux/filter.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/attributes.h"
#include "base/error.h"
#include "cmd/command.h"
#include "cmd/naming.h"
#include "cmd/signals.h"
#include "cmd/tracing.h"
#include "events/source.h"
#include "profile/profile.h"

struct sprof_watching_options {
	pid_t pid;
	bool children, no_children;
	uint64_t duration_ns; /* 0: to the end */
};

/* A group of a command's table, at the struct's offset. */
extern const struct sprof_option sprof_watching_table[];

/* Whether either a process or a program was given; `command` for the message. */
bool sprof_watching_check(const char *command, const struct sprof_watching_options *options,
	char *const operands[], struct sprof_error *err) SPROF_MUST_USE;

struct sprof_watching {
	struct sprof_subject subject;
	struct sprof_signals signals;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	char *command; /* of the target */
	/* threads, their names and times; it has samples only if they were wanted */
	struct sprof_profile *profile;
	struct sprof_tracing tracing;
	struct sock_fprog filter;
	char **environment;
};

/* Creates all that a run needs. Finish it in both cases. */
bool sprof_watching_init(struct sprof_watching *watching,
	const struct sprof_watching_options *options, char *const operands[],
	struct sprof_error *err) SPROF_MUST_USE;
/* Takes samples beside the events. Before the run. */
void sprof_watching_sample(struct sprof_watching *watching, double rate_hz);
/*
 * Runs until the end of the duration or of the target, or a signal. The caller fills in the
 * subject's calls and filter, and the tracing's events, before. On success *ret_exit is the program's
 * exit code as a shell reports it, or 0.
 */
bool sprof_watching_run(
	struct sprof_watching *watching, int *ret_exit, struct sprof_error *err) SPROF_MUST_USE;
/*
 * Traces system calls. If only these numbers are wanted (0: all), of a whole program with all that it
 * starts, a filter in the kernel selects them. It can't be removed, and nothing under it can be let
 * go: the run goes on to the end of the last process. Otherwise each call is traced.
 */
bool sprof_watching_calls(struct sprof_watching *watching, const int64_t *numbers, size_t count,
	struct sprof_error *err) SPROF_MUST_USE;
/* Names what the profile has: samples, stacks of events. After the run. */
bool sprof_watching_name(struct sprof_watching *watching, const struct sprof_naming *options,
	struct sprof_error *err) SPROF_MUST_USE;
void sprof_watching_finish(struct sprof_watching *watching);

#endif
