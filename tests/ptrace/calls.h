/*
 * What a stop does to a system call that a thread has begun to wait in: one row per call, in two files. The test goes
 * through them; docs/stops.md has the same rows, which tests/lint/documents.py compares.
 */
#pragma once

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>

/* Newer machines have only the younger calls, by which libc makes the older ones. */
#ifndef SYS_poll
#define SYS_poll SYS_ppoll
#define SYS_pause SYS_ppoll
#define SYS_epoll_wait SYS_epoll_pwait
#endif

enum effect {
	EFFECT_NONE, /* the stop waits until the call has ended */
	/* as if nobody had looked; if it has a time-out, with what is left of it */
	EFFECT_GOES_ON,
	EFFECT_ANEW, /* restarts with its full time-out */
	EFFECT_PART, /* returns what it has done so far */
	/* continues, and the time that was left at the stop is in the caller's memory */
	EFFECT_REM,
};

enum {
	SPAN_MS = 800,      /* the time-outs; the stop comes in their middle */
	WHOLE = 1 << 20,    /* bytes that don't fit into any buffer */
	A_PART = INT32_MAX, /* as a result: above 0 and below WHOLE */
	RANDOM_SIZE = 256 << 20,
};

/* What the child says. */
struct said {
	uint64_t begin_ns, end_ns;
	long result; /* or a negative error number */
	bool has_rem;
	atomic_bool has_begun, has_ended;
	_Atomic uint32_t word; /* a futex, or that the test wants an end */
};

/* What a row has made before its child is born; both processes have it. */
struct stage {
	int in, out; /* what the call works on, and the other end */
	int file;    /* or an epoll */
	int id;      /* of System V */
	char path[64];
	pid_t child;
	struct said *said;
};

struct call {
	const char *name;
	enum effect effect;
	const char *source;                   /* the kernel's file that decides */
	long number;                          /* of the system call that the child is found in */
	long result;                          /* after the stop and what follows */
	void (*prepare)(struct stage *stage); /* NULL: nothing to do */
	long (*make)(struct stage *stage);
	/* lets the call end; NULL: it ends by its time-out, or has */
	void (*end)(struct stage *stage);
	bool is_timed;
	bool is_busy;     /* it runs, or may not sleep */
	bool is_filtered; /* by a seccomp filter that kills at restart_syscall(2) */
	long rest;        /* the call that finishes this one, after a stop; 0: the same */
};

extern const struct call transfer_calls[], wait_calls[];
extern const size_t transfer_call_count, wait_call_count;

/* For the rows: fails the test, or the child. */
void calls_require(bool holds, const char *what);

static inline long calls_result(long returned)
{
	return returned < 0 ? -errno : returned;
}

void prepare_pipe(struct stage *stage);
void prepare_file(struct stage *stage);
void end_by_byte(struct stage *stage);
