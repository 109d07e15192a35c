/*
 * Traces and samples one subject, in a separate thread.
 *
 * The tracer detaches when that thread ends (see attach/target.h), so every command that samples
 * uses this.
 */
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

#include "attach/target.h"
#include "base/attributes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/module.h"
#include "base/record.h"
#include "cmd/cli/pids.h"
#include "cmd/record/hang.h"
#include "cmd/record/python.h"
#include "cmd/signals.h"
#include "sampler/sampler.h"
#include "unwind/unwind.h"

/* Time for processes that are killed with the program, or read its output, to end. */
enum { SPROF_TRACING_LINGER_NS = 100 * SPROF_NS_PER_MS };

/* What to trace: a program to start, or a process. */
struct sprof_subject {
	char *const *arguments;   /* NULL: attach to `pid` */
	char *const *environment; /* of the program */
	pid_t pid;
	const struct sprof_pids *pids; /* all processes, including `pid`; NULL: `pid` only */
	const struct sprof_pids *tids; /* only these threads, instead of `pids`; NULL: all */
	bool stdout_to_stderr;
	bool follow_children;
	bool may_wait; /* the command has an option to wait for what the program leaves running */
	enum sprof_target_calls calls;   /* which system calls are traced */
	bool holds;                      /* hold threads for a source (attach/event.h) */
	bool tasks;                      /* also report thread births and signals */
	const struct sock_fprog *filter; /* seccomp filter that selects calls; NULL: none */
};

struct sprof_tracing {
	/* The caller's objects; they must outlive the tracing. */
	const struct sprof_subject *subject;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	enum sprof_python_shown python;
	struct sprof_signals *signals; /* already blocked */
	struct sprof_sampler_options sampling;
	struct sprof_sink sink;                         /* for the current period */
	struct sprof_periods periods;                   /* with a period_ns */
	const struct sprof_event_source *const *events; /* NULL-terminated; NULL: none */
	/* there is a screen, which a copy of the process could not continue (cmd/record/hang.h) */
	bool has_screen;

	/* Updated while sampling; a control may read it. */
	struct sprof_quality quality;

	/* Valid after sprof_tracing_sample(). */
	bool begun;           /* false: nothing was sampled; see `error` */
	bool sampling_failed; /* sampling ended early; see `error` */
	struct sprof_error error;
	/*
	 * The launched program outlives its sampling. It stays traced until it ends (with linger_ns
	 * 0, until all its descendants have ended), or signals end the run, so that signals can be
	 * forwarded and its exit code is known.
	 */
	bool goes_on;

	/* Valid after sprof_tracing_finish(). */
	bool program_ended; /* the launched program has ended */
	int wait_status;    /* if so, its status as waitpid(2) encodes it */
	bool program_left;  /* profiling ended before the program did; a message was printed */

	bool hung; /* this is a copy of the process, without the thread that hung */
	struct sprof_hang_watched watched;
	pthread_t thread;
	sem_t sampled;
};

/*
 * Starts or attaches to the subject and returns when sampling is over; then call
 * sprof_tracing_finish(). Returns false if no thread could be started. If the thread hangs, this
 * returns in a copy of the process, without its other threads, and sampling has failed.
 */
bool sprof_tracing_sample(struct sprof_tracing *tracing, struct sprof_error *err) SPROF_MUST_USE;

/* Waits until nothing of the subject is traced any more. */
void sprof_tracing_finish(struct sprof_tracing *tracing);
