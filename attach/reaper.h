/*
 * While threads are being seized one after the other, nobody looks at those that have ended already.
 * That is no matter, unless the process executes a program: the exec waits until they are reaped, and
 * the next seize waits for the exec (kernel/ptrace.c, ptrace_attach: cred_guard_mutex; kernel 6.18 still).
 * So somebody else reaps them.
 */
#ifndef SPROF_ATTACH_REAPER_H
#define SPROF_ATTACH_REAPER_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

struct sprof_reaper {
	pid_t pid; /* the process that is being seized */
	pthread_t thread;
	sem_t over;
	bool runs;
};

/* Without a thread to be had there is no reaper, which is seldom missed. */
void sprof_reaper_start(struct sprof_reaper *reaper, pid_t pid);
/* Those that it has reaped are gone, and still in the table of the one who traced them. */
void sprof_reaper_stop(struct sprof_reaper *reaper);

#endif
