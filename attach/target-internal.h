/*
 * What target.c shares with launch.c and seize.c: the table of threads.
 */
#ifndef SPROF_ATTACH_TARGET_INTERNAL_H
#define SPROF_ATTACH_TARGET_INTERNAL_H

#include <signal.h>
#include <sys/resource.h>

#include "attach/target.h"

enum { TARGET_BUCKETS = 1024 };

/* What sprof changes of its own and a launched program must not inherit. */
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
	size_t held_count; /* threads that stand until another one is let go of; attach/ptrace-watch.h */
	uint32_t threads_seen, processes_seen;
	pid_t pid;
	bool launched;
	bool left; /* the launched process is let go of: it is a child of ours, and no tracee */
	bool ended;
	int wait_status;
	struct sprof_event next_event; /* TIMEOUT: none */
	bool quiet;       /* nothing was left to report, and no SIGCHLD has come since */
	pid_t hint;       /* whom the last SIGCHLD was about; 0: none */
	char unprivileged[64]; /* the first program that runs without the rights of its file; empty: none */
	char narrow[64]; /* the first program of 32 bits; empty: none */
	char tracer[64]; /* the first program to which a thread was left; empty: none */
	bool out_of_memory; /* a new thread could not be registered: it is detached and goes its own way */
};

/* The options of PTRACE_SEIZE for this target. */
unsigned long sprof_target_ptrace_options(const struct sprof_target *target);

struct sprof_thread *sprof_target_find(const struct sprof_target *target, pid_t tid);

/* The thread of this id in this process, registered if it is new. NULL: no memory. */
struct sprof_thread *sprof_target_add(struct sprof_target *target, pid_t pid, pid_t tid);

/* Exchanges the ids of two threads. */
void sprof_target_swap(
	struct sprof_target *target, struct sprof_thread *one, struct sprof_thread *other);

/* wait.c: the name of a process, unless there is one already. */
void sprof_target_note_name(pid_t pid, char *name, size_t size);

/* wait.c: the process has executed a program: has it got the rights of that? */
void sprof_target_check_rights(struct sprof_target *target, pid_t pid);

/*
 * wait.c: for a thread that stands at its exec. True: its program has another word size (word-size.h). It
 * is LEAVING then, and the caller reports it as ENDED.
 */
bool sprof_target_leaves_narrow(struct sprof_target *target, struct sprof_thread *thread);

#endif
