/*
 * Who takes the samples of running threads: stops, or timers in the kernel.
 */
#ifndef SPROF_CMD_RUNNING_SOURCE_H
#define SPROF_CMD_RUNNING_SOURCE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "sampler/sampler.h"

enum sprof_running_source {
	/*
	 * The kernel, where it permits that, of its own code too. Else its time is owed until a stop meets
	 * the thread in a system call: so page faults would be taken for such calls.
	 */
	SPROF_RUNNING_AUTO,
	SPROF_RUNNING_STOP,
	SPROF_RUNNING_KERNEL, /* or not at all; without its own code, where it permits only that */
};

/* A value of an option: "auto", "stop", "kernel". */
bool sprof_running_source_set(
	void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Decides whether the kernel is to take them (by_kernel), or why not (AUTO: timers_denied). The kernel is asked
 * for a timer of our own. False: KERNEL was asked for and is refused.
 */
bool sprof_running_source_choose(enum sprof_running_source wanted,
	struct sprof_sampler_options *ret, struct sprof_error *err) SPROF_MUST_USE;

#endif
