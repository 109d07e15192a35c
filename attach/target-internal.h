/*
 * State of a target shared by the files of attach/: the table of threads and the queue of events.
 */
#pragma once

#include <signal.h>
#include <sys/resource.h>

#include "attach/target.h"
#include "base/attributes.h"

enum { TARGET_BUCKETS = 1024 };

/* Settings that sprof changes for itself; a launched program must not inherit them. */
struct sprof_inherited {
	struct rlimit descriptors;
	struct sigaction child_handler;
};

struct sprof_target {
	struct sprof_target_options options;
	struct sprof_inherited inherited;
	struct sprof_thread *buckets[TARGET_BUCKETS]; /* by tid */
	struct sprof_thread **threads;
	size_t thread_count, thread_capacity;
	struct sprof_process **processes;
	size_t process_count, process_capacity;
	/* threads kept stopped until another one is detached; attach/tracers/watch.h */
	size_t held_count;
	uint32_t threads_seen, processes_seen;
	pid_t pid;
	bool launched;
	bool left; /* the launched process was detached: still a child, but no tracee */
	bool ended;
	int wait_status;
	struct sprof_event_queue events; /* not handed out yet */
	/* nothing was left to report, and no SIGCHLD has come since */
	bool quiet;
	pid_t hint;       /* tid named by the last SIGCHLD; 0: none */
	bool has_let_go;  /* a child process of a tracee was detached */
	unsigned unasked; /* call stops since all tracees were last polled */
	struct sprof_target_programs programs;
	/* a new thread could not be registered, and was detached */
	bool out_of_memory;
};

unsigned long sprof_target_ptrace_options(const struct sprof_target *target);

/* Finds or adds the thread with this id in this process. Returns NULL if out of memory. */
SPROF_MUST_USE struct sprof_thread *sprof_target_add(
	struct sprof_target *target, pid_t pid, pid_t tid);

/* The process's thread of this id; NULL: there is none. */
struct sprof_thread *sprof_target_find_of(
	const struct sprof_target *target, const struct sprof_process *process, pid_t tid);

/*
 * The thread that a report of the kernel is about; NULL: it is not registered. A thread that
 * executes a program gives up its id before it reports the exec (fs/exec.c, de_thread), and another
 * thread may get the id at once.
 */
struct sprof_thread *sprof_target_find_reported(const struct sprof_target *target, pid_t tid);

/*
 * The thread gets the leader's id. The leader, which is gone, gets the thread's old id, by which it
 * can't be found.
 */
void sprof_target_succeed(
	struct sprof_target *target, struct sprof_thread *thread, struct sprof_thread *leader);

/* Removes a thread from the table and frees it; with the last thread, also its process. */
void sprof_target_forget(struct sprof_target *target, struct sprof_thread *thread);

/* Reads a process's name into `name`, unless it is already set. */
void sprof_target_note_name(pid_t pid, char *name, size_t size);
