/*
 * The sampling loop: the timer, which thread to reuse, peek at or stop, and the time accounting.
 */
#ifndef SPROF_SAMPLER_SAMPLER_H
#define SPROF_SAMPLER_SAMPLER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target.h"
#include "base/error.h"
#include "base/module.h"
#include "base/record.h"
#include "unwind/unwind.h"

struct sprof_sampler_options {
	double rate_hz;
	uint64_t duration_ns; /* from the first sample on; 0: until the target ends or the control says so */
	uint64_t delay_ns;    /* before the first sample */
	/* So long after the launched program's end, for processes that end with it; 0: to the last one's end. */
	uint64_t linger_ns;
	uint64_t period_ns;   /* from the first sample on, and from each end of a period; 0: none end */
	bool once;            /* one sample of every thread, and no more */
	double max_overhead; /* the share of the time that sampling may cost; 0: any */
	enum sprof_mode mode;
	bool goroutines;      /* samples of a Go program's threads say which goroutine they ran, and who created it */
	bool kernel_stacks;   /* of blocked threads, where they can be read */
};

/* What to do about a signal that sprof itself got; asked from the loop, never from a signal handler. */
struct sprof_control {
	void *data;
	bool (*signal)(void *data, const siginfo_t *info); /* false: end the run */
	/*
	 * A period is over (only asked with a period_ns): may it end now, or shall it go on for a
	 * while? Then it is ended: all time up to now has been handed out as at the end of a run, and
	 * *quality is that of the period. If end_period() is true, the sink is a new one that knows
	 * nothing, in the place of the old; false: it is not, and the period goes on.
	 */
	bool (*may_end_period)(void *data);
	bool (*end_period)(void *data);
};

/* Everything that sampling works on; all of it outlives the run. */
struct sprof_sampler_parts {
	struct sprof_target *target;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	const struct sprof_sink *sink;
	const struct sprof_control *control;
};

/*
 * Samples until the duration is over, the control ends it, the last traced process is gone, or with a
 * linger_ns the launched program has ended. Fails
 * only for lack of memory; everything taken so far has reached the sink then. The target is left
 * attached. *quality is filled as the run goes on, so that a control can look at it, but for what
 * naming and writing cost.
 */
bool sprof_sampler_run(const struct sprof_sampler_parts *parts,
	const struct sprof_sampler_options *options, struct sprof_quality *quality,
	struct sprof_error *err);

#endif
