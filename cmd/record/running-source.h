/* How running threads are sampled: by stops, or by kernel timers. */
#pragma once

#include <stdbool.h>

#include "base/attributes.h"
#include "base/error.h"
#include "sampler/sampler.h"

enum sprof_running_source {
	/* kernel timers if they are permitted, else stops */
	SPROF_RUNNING_AUTO,
	SPROF_RUNNING_STOP,
	/* kernel timers, or an error */
	SPROF_RUNNING_KERNEL,
};

/* Option setter: "auto", "ptrace", "kernel". */
bool sprof_running_source_set(
	void *field, const char *text, struct sprof_error *err) SPROF_MUST_USE;

/*
 * Decides for kernel timers (by_kernel), or sets the reason against them (AUTO: timers_denied).
 * Tries a timer on sprof's own thread. Returns false if KERNEL was requested and is refused.
 */
bool sprof_running_source_choose(enum sprof_running_source wanted,
	struct sprof_sampler_options *ret, struct sprof_error *err) SPROF_MUST_USE;
