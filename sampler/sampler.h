/*
 * The sampling loop: when each tick is taken, and the time accounting.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/error.h"
#include "base/module.h"
#include "base/record.h"
#include "events/source.h"
#include "unwind/unwind.h"

/* What is recorded of each wait, besides the samples. */
enum sprof_exact_waits {
	SPROF_EXACT_NOT,
	SPROF_EXACT_TIMES,  /* when it began and ended */
	SPROF_EXACT_STACKS, /* also where */
};

struct sprof_sampler_options {
	double rate_hz;
	/* from the first sample; 0: until the target ends or the control says so */
	uint64_t duration_ns;
	uint64_t delay_ns; /* before the first sample */
	bool starts_off;   /* no samples until the control orders them */
	/* ends the run that long after the launched program; 0: at the last process's end */
	uint64_t linger_ns;
	/* from the first sample, and from each end of a period; 0: there are no periods */
	uint64_t period_ns;
	bool no_samples;     /* events only */
	bool once;           /* one sample of every thread, no more */
	double max_overhead; /* the share of the time that sampling may cost; 0: any */
	enum sprof_mode mode;
	/* samples of Go threads name their goroutine, and its creator */
	bool goroutines;
	bool cpus;          /* samples of running threads say which CPU they ran on */
	bool kernel_stacks; /* of blocked threads and, with timers, of running ones */
	bool by_kernel;     /* running threads by timers in the kernel, where it permits them */
	enum sprof_timers_denied timers_denied; /* why not, for the quality */
	enum sprof_exact_waits exact_waits;
	bool heirs, processes; /* exact waits: of threads born later too, and of their processes */
};

/* What a signal to sprof asks of the run. */
enum sprof_order {
	SPROF_ORDER_GO_ON,
	SPROF_ORDER_END,
	SPROF_ORDER_ON, /* take samples; nothing changes if they are taken already */
	SPROF_ORDER_OFF,
	SPROF_ORDER_TOGGLE,
};

/* Handles a signal that sprof itself got; called from the loop, never from a signal handler. */
struct sprof_control {
	void *data;
	enum sprof_order (*signal)(void *data, const siginfo_t *info);
	/* The order of the last signal has been carried out. NULL: not wanted. */
	void (*done)(void *data);
};

/* Gets the periods of a recording; called only with a period_ns. */
struct sprof_periods {
	void *data;
	/* a period is over; returns false to let it go on for a while */
	bool (*may_end)(void *data);
	/*
	 * All time up to now has been handed out, as at the end of a run, and *quality covers the
	 * period, which ended at end_ns of CLOCK_MONOTONIC, where the next one begins: a while ago,
	 * if sprof had to wait for a CPU. Returns true if *sink is a new, empty one; false if the
	 * period goes on.
	 */
	bool (*end)(void *data, uint64_t end_ns, struct sprof_sink *sink);
};

struct sprof_interp;

/*
 * All objects that sampling uses, where samples go, and what controls the run. They outlive it, but
 * the sink's content is replaced at the end of a period.
 */
struct sprof_sampler_parts {
	struct sprof_target *target;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	struct sprof_interp *interp; /* NULL: stacks are native only */
	struct sprof_sink *sink;
	const struct sprof_control *control;
	const struct sprof_periods *periods; /* NULL: no periods */
	/* single events, besides the samples or instead of them; ends with NULL; NULL: none */
	const struct sprof_event_source *const *events;
};

/*
 * While sampling is off, no thread is looked at. Time that passes then is charged to no thread, but
 * counts for the duration and for periods.
 *
 * Samples until the duration is over, the control ends it, the last traced process is gone or, with
 * a linger_ns, the launched program has ended. Fails only if out of memory; all samples so far have
 * reached the sink then. The target is left attached. *quality is filled as the run goes on, so
 * that a control can read it, except for the cost of naming and writing.
 */
SPROF_MUST_USE bool sprof_sampler_run(const struct sprof_sampler_parts *parts,
	const struct sprof_sampler_options *options, struct sprof_quality *quality,
	struct sprof_error *err);

struct sprof_world;
/* Runs in any world (sampler/world.h), with the last four parts. *quality has what is known. */
SPROF_MUST_USE bool sprof_sampler_run_in(const struct sprof_world *world,
	const struct sprof_sampler_parts *parts, const struct sprof_sampler_options *options,
	struct sprof_quality *quality, struct sprof_error *err);
