/*
 * Who takes the samples of running threads: stops, or timers in the kernel.
 */
#ifndef SPROF_CMD_RUNNING_SOURCE_H
#define SPROF_CMD_RUNNING_SOURCE_H

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"

enum sprof_running_source {
	SPROF_RUNNING_STOP,
	SPROF_RUNNING_KERNEL, /* or not at all */
	SPROF_RUNNING_AUTO,   /* the kernel where it permits that */
};

/* A value of an option: "stop", "kernel", "auto". */
bool sprof_running_source_set(
	void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Whether the kernel is to take them. It is asked for a timer of our own. False: KERNEL was asked for
 * and is refused. With AUTO, a message says that, with the remedy.
 */
bool sprof_running_source_choose(enum sprof_running_source wanted, bool *ret_by_kernel,
	struct sprof_error *err) SPROF_MUST_USE;

#endif
