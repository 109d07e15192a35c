/*
 * Finds the holders of locks of files, from /proc/locks. The kernel records processes, not threads,
 * and any thread of a process may free its locks, as may its children, which share its files: so
 * only processes with one thread count, both as waiters and as holders, and only if their children
 * wait for locks of files, too. Does not handle waiters whose program handles signals: one may end
 * the wait. Does not see if a file is shared otherwise: with the parent, or sent over a socket.
 */
#include "cmd/dump/file-locks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "base/proc-status.h"
#include "base/proc.h"
#include "blocked/file-locks.h"
#include "cmd/dump/lock-cycles.h"

static bool is_alone(const struct sprof_stacks *stacks, pid_t pid);

/* Whether a thread waits for the lock of a file until another process frees it. */
static bool waits_for_file(
	const struct sprof_stacks *stacks, const struct sprof_thread_stack *thread)
{
	return thread->sampled && thread->state == SPROF_STATE_SLEEP && thread->in_syscall &&
		(thread->syscall == SYS_flock || thread->syscall == SYS_fcntl) &&
		is_alone(stacks, thread->pid) && !sprof_lock_wait_may_be_interrupted(thread->pid);
}

/* NULL: not in the dump. */
static const struct sprof_thread_stack *find_thread(const struct sprof_stacks *stacks, pid_t pid)
{
	for (size_t i = 0; i < stacks->thread_count; i++) {
		if (stacks->threads[i].pid == pid)
			return &stacks->threads[i];
	}
	return NULL;
}

static bool all_wait(const struct sprof_stacks *stacks, char *children)
{
	char *rest;

	for (char *word = strtok_r(children, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		const struct sprof_thread_stack *child = find_thread(stacks, atoi(word));

		if (!child || !waits_for_file(stacks, child))
			return false;
	}
	return true;
}

/* Whether nothing else can be expected to free the locks of the process. */
static bool is_alone(const struct sprof_stacks *stacks, pid_t pid)
{
	char text[SPROF_PROC_STATUS_MAX];
	SPROF_AUTO_FREE char *children = NULL;
	size_t size;
	long threads;

	if (sprof_proc_status_read(pid, 0, text, sizeof(text)) <= 0 ||
		!sprof_proc_status_number(text, "Threads", &threads) || threads != 1)
		return false;
	children = sprof_proc_read_whole(sprof_proc_path(pid, pid, "children").text, &size);
	return children && all_wait(stacks, children);
}

/* 0: not in the dump. */
static pid_t find_process(const struct sprof_stacks *stacks, pid_t pid)
{
	const struct sprof_thread_stack *found = find_thread(stacks, pid);

	return found && is_alone(stacks, pid) ? found->tid : 0;
}

bool sprof_dump_file_locks_find(struct sprof_stacks *stacks)
{
	SPROF_AUTO_FREE char *locks = NULL;
	size_t size;

	for (size_t i = 0; i < stacks->thread_count; i++) {
		struct sprof_thread_stack *thread = &stacks->threads[i];

		if (!waits_for_file(stacks, thread))
			continue;
		if (!locks)
			locks = sprof_proc_read_whole("/proc/locks", &size);
		if (!locks)
			return errno != ENOMEM;
		thread->holder = find_process(stacks, sprof_file_locks_find(locks, thread->pid, 0));
	}
	return true;
}
