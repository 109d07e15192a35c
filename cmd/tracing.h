/*
 * Tracing and sampling one subject, in a thread of its own.
 *
 * The end of that thread detaches (see attach/target.h), so every command that samples goes through
 * here.
 */
#ifndef SPROF_CMD_TRACING_H
#define SPROF_CMD_TRACING_H

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
#include "cmd/hang.h"
#include "cmd/pids.h"
#include "cmd/python.h"
#include "cmd/signals.h"
#include "sampler/sampler.h"
#include "unwind/unwind.h"

/* How long processes may take to end that are killed with the program, or that read its output. */
enum { SPROF_TRACING_LINGER_NS = 100 * SPROF_NS_PER_MS };

/* What to trace: a program to start, or a process. */
struct sprof_subject {
	char *const *arguments;   /* NULL: attach to pid */
	char *const *environment; /* of the program */
	pid_t pid;
	const struct sprof_pids *pids; /* all of them, pid among them; NULL: pid only */
	const struct sprof_pids *tids; /* these threads and no others, instead of pids; NULL: all */
	bool stdout_to_stderr;
	bool follow_children;
	bool may_wait; /* an option of the command follows what the program leaves running */
	enum sprof_target_calls calls;   /* which system calls are traced */
	bool holds;                      /* threads are held for a source (attach/event.h) */
	bool tasks;                      /* births of threads and signals are reported, too */
	const struct sock_fprog *filter; /* selects them; NULL: none */
};

struct sprof_tracing {
	/* The caller's objects; they outlive the tracing. */
	const struct sprof_subject *subject;
	struct sprof_modules *modules;
	struct sprof_unwinder *unwinder;
	enum sprof_python_shown python;
	struct sprof_signals *signals; /* blocked already */
	struct sprof_sampler_options sampling;
	struct sprof_sink sink;                         /* of the current period */
	struct sprof_periods periods;                   /* with a period_ns */
	const struct sprof_event_source *const *events; /* ends with NULL; NULL: none */
	bool has_screen; /* a copy of the process could not go on with it (cmd/hang.h) */

	/* Filled while sampling goes on; a control may read it. */
	struct sprof_quality quality;

	/* Valid once sprof_tracing_sample() has returned. */
	bool begun;           /* false: there is nothing to sample, error says why */
	bool sampling_failed; /* it ended early, error says why */
	struct sprof_error error;
	/*
	 * The launched program outlives its sampling. It stays traced until it ends (with a
	 * linger_ns of 0, until all its descendants have ended) or the signals end the run, so that
	 * signals can be passed on and its exit code is known.
	 */
	bool goes_on;

	/* Valid after sprof_tracing_finish(). */
	bool program_ended; /* the launched one */
	int wait_status;    /* then, as waitpid(2) encodes it */
	bool program_left;  /* it was not profiled to its end; a message has said so */

	bool hung; /* this is a copy of the process without the thread, which hung */
	struct sprof_hang_watched watched;
	pthread_t thread;
	sem_t sampled;
};

/*
 * Starts or attaches to the subject and returns when sampling is over: call sprof_tracing_finish()
 * then. False: no thread could be started. If the thread hangs, this returns in a copy of the process,
 * without any other thread of it, and sampling has failed.
 */
bool sprof_tracing_sample(struct sprof_tracing *tracing, struct sprof_error *err) SPROF_MUST_USE;

/* Waits until nothing of the subject is traced any more. */
void sprof_tracing_finish(struct sprof_tracing *tracing);

#endif
