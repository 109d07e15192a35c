/*
 * The critical path of a recording, as rows of a report: which functions decided the length of the
 * run, what each would save at most, and what woke which threads.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "base/error.h"
#include "profile/critical/graph.h"
#include "profile/critical/log.h"
#include "profile/model/profile.h"

/* What a piece of the path is charged to. */
struct sprof_critical_row {
	const char *thread; /* its name; NULL: of any thread */
	uint32_t function;  /* SPROF_PROFILE_NONE: not known, or in no function */
	uint32_t caller;    /* the function of the same code that called it; NONE: none */
	uint32_t kernel;    /* SLEEP: the kernel's entry, "[read]"; NONE: not known */
	uint32_t stack;     /* of its longest piece */
	uint8_t kind;       /* enum sprof_critical_kind */
	uint8_t waker;      /* SLEEP: enum sprof_waker */
	bool is_open;       /* SLEEP: it had not ended when the recording did */
	const char *by;     /* PROCESS, KERNEL: the waker's name */
	uint64_t ns, longest_ns;
	uint64_t pieces;
};

/* The run without a function's time in threads of one name, or without waiting for CPUs. */
struct sprof_critical_saving {
	const char *thread; /* NULL: of any thread */
	uint32_t function;  /* NONE: waiting for CPUs */
	uint32_t caller;
	uint64_t ns;        /* on the path */
	uint64_t length_ns; /* of the shortest run without it, and without waits for CPUs */
	/*
	 * By so much that run is shorter than the same run with it. Of the waits for CPUs: by so
	 * much the recorded run would be shorter without them.
	 */
	uint64_t saved_ns;
	/* What decides then; NULL thread and NONE: waiting for CPUs; ns 0: nothing. */
	const char *next_thread;
	uint32_t next_function, next_caller;
	uint64_t next_ns;
};

/* The sleeps of all threads of one name that ended in one way. */
struct sprof_critical_wakings {
	const char *thread;
	uint8_t waker;  /* enum sprof_waker */
	const char *by; /* the waker's name; NULL: it has none */
	uint64_t times, slept_ns;
	uint64_t queued_ns; /* from the waking until it ran */
};

struct sprof_critical {
	/* From the first moment that is known; if a program was launched, from its first one. */
	uint64_t length_ns;
	uint64_t pieces;
	uint64_t lost_ns;    /* of the path: records are missing */
	uint64_t unwoken_ns; /* of the path: sleeps whose waker is not known */
	uint64_t network_ns; /* the same: something came, but it is not known from which thread */
	uint64_t broken;     /* where a waker is known, but not that it ran */
	bool is_cut;         /* what was earlier was not kept */
	struct sprof_critical_row *rows; /* the longest first */
	size_t row_count, row_capacity;
	struct sprof_critical_saving *savings; /* the largest first */
	size_t saving_count, saving_capacity;
	struct sprof_critical_wakings *wakings; /* the longest sleeps first */
	size_t waking_count, waking_capacity;
};

/* Locations must be named. Fails if out of memory. Finish it in both cases. */
SPROF_MUST_USE bool sprof_critical_find(const struct sprof_profile *profile,
	const struct sprof_critical_log *log, struct sprof_critical *ret, struct sprof_error *err);
void sprof_critical_finish(struct sprof_critical *critical);
