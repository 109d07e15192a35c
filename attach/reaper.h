/*
 * Reaps threads that end while others are being seized one by one. Otherwise an exec of the process
 * would deadlock: the exec waits until ended threads are reaped, and the next seize waits for the
 * exec (kernel/ptrace.c, ptrace_attach: cred_guard_mutex; unchanged in kernel 6.18). The seizing
 * thread is blocked then, so a second thread reaps.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>

struct sprof_reaper {
	pid_t pid; /* the process being seized */
	pthread_t thread;
	int over; /* an eventfd, readable at the end */
	bool runs;
};

/* If no thread can be started, there is no reaper, which rarely matters. */
void sprof_reaper_start(struct sprof_reaper *reaper, pid_t pid);
/* The reaped threads are gone, but still in the tracer's table. */
void sprof_reaper_stop(struct sprof_reaper *reaper);
