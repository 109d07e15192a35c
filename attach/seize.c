/*
 * Attaching to a running process. Knows how to catch all its threads while they come and go; none of
 * them is stopped by it.
 */
#include "attach/target.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/diagnose.h"
#include "attach/reaper.h"
#include "attach/target-internal.h"
#include "attach/word-size.h"

/* So often in a row no process executes a program just while it is being seized. */
enum { ATTEMPTS = 10 };

enum seized { SEIZED, SEIZED_BEFORE, SEIZE_GONE, SEIZE_DENIED, SEIZE_NO_MEMORY };

/* A thread that ends just now answers EPERM or ESRCH: it is gone, not forbidden. */
static bool is_gone(pid_t pid, pid_t tid)
{
	char path[64], text[1024];
	struct sprof_proc_stat stat;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	return sprof_proc_read_path(path, text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_stat(text, &stat) || (stat.flags & SPROF_PF_EXITING) ||
		stat.state == 'Z' || stat.state == 'X';
}

/* Born of a thread that is seized: the kernel has seized it too. Its first stop will announce it. */
static bool is_ours(pid_t tid)
{
	char path[64], text[4096];
	long tracer;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	return sprof_proc_read_path(path, text, sizeof(text)) > 0 &&
		sprof_proc_status_number(text, "TracerPid", &tracer) && tracer == gettid();
}

static enum seized seize(struct sprof_target *target, pid_t pid, pid_t tid, int *ret_errnum)
{
	if (sprof_target_find(target, tid))
		return SEIZED_BEFORE;
	if (ptrace(PTRACE_SEIZE, tid, 0, sprof_target_ptrace_options(target))) {
		*ret_errnum = errno;
		if (*ret_errnum == ESRCH || is_gone(pid, tid))
			return SEIZE_GONE;
		return is_ours(tid) ? SEIZED_BEFORE : SEIZE_DENIED;
	}
	return sprof_target_add(target, pid, tid) ? SEIZED : SEIZE_NO_MEMORY;
}

/* One pass over the threads; *ret_new says whether any was new, *ret_errnum what ptrace said at the end. */
static enum seized seize_pass(
	struct sprof_target *target, pid_t pid, bool *ret_new, int *ret_errnum)
{
	enum seized result = SEIZED;
	DIR *tasks = sprof_proc_open_tasks(pid);
	pid_t tid;

	*ret_new = false;
	if (!tasks)
		return SEIZE_GONE;
	while (result != SEIZE_DENIED && result != SEIZE_NO_MEMORY &&
		(tid = sprof_proc_next_task(tasks))) {
		result = seize(target, pid, tid, ret_errnum);
		*ret_new |= result == SEIZED;
	}
	closedir(tasks);
	return result;
}

/* The process that a user means who names one of its threads. */
static pid_t process_of(pid_t pid)
{
	char path[64], text[4096];
	long tgid;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (sprof_proc_read_path(path, text, sizeof(text)) < 0 ||
		!sprof_proc_status_number(text, "Tgid", &tgid))
		return pid;
	return (pid_t)tgid;
}

/* Threads born of seized ones are seized by the kernel, so the first pass without a new one is the last. */
static enum seized seize_all(struct sprof_target *target, pid_t pid, int *ret_errnum)
{
	enum seized result;
	bool new;

	do {
		result = seize_pass(target, pid, &new, ret_errnum);
	} while (new && result != SEIZE_DENIED && result != SEIZE_NO_MEMORY);
	return result;
}

/*
 * Whether the result says something of the process as it is now. A leader of which that is not true
 * has been replaced meanwhile, by a thread that has executed a program: that one is to be seized instead.
 */
static bool is_settled(struct sprof_target *target, pid_t pid, enum seized result)
{
	struct sprof_thread *leader = sprof_target_find(target, pid);

	if (result == SEIZE_NO_MEMORY || is_gone(pid, pid))
		return true;
	if (leader && !is_ours(pid)) {
		sprof_target_release(target, leader);
		return false;
	}
	return result != SEIZE_DENIED && target->thread_count;
}

/* Several times, in case that the process executes a program. */
static enum seized seize_process(struct sprof_target *target, pid_t pid, int *ret_errnum)
{
	enum seized result = SEIZE_GONE;
	bool settled = false;

	for (int i = 0; i < ATTEMPTS && !settled; i++) {
		result = seize_all(target, pid, ret_errnum);
		settled = is_settled(target, pid, result);
	}
	return result;
}

/*
 * Those that the reaper has taken, whose ends will not be reported; and the old id of a thread that became
 * the leader while it was being seized, by executing a program.
 */
static void forget_gone(struct sprof_target *target, pid_t pid)
{
	for (size_t i = target->thread_count; i-- > 0;) {
		if (syscall(SYS_tgkill, pid, target->threads[i]->tid, 0) && errno == ESRCH)
			sprof_target_release(target, target->threads[i]);
	}
	if (!sprof_target_find(target, pid) && is_ours(pid) && !sprof_target_add(target, pid, pid))
		target->out_of_memory = true;
}

bool sprof_target_attach(struct sprof_target *target, pid_t pid, struct sprof_error *err)
{
	struct sprof_reaper reaper;
	enum seized result;
	int errnum = ESRCH;

	pid = process_of(pid);
	sprof_reaper_start(&reaper, pid);
	result = seize_process(target, pid, &errnum);
	sprof_reaper_stop(&reaper);
	forget_gone(target, pid);
	if (result == SEIZE_NO_MEMORY)
		return sprof_error_no_memory(err);
	if (result == SEIZE_DENIED)
		return sprof_diagnose(pid, errnum, err);
	if (!target->thread_count)
		return sprof_diagnose(pid, ESRCH, err);
	/* Once it is seized: an exec from here on is an event. */
	if (sprof_word_size_differs(pid))
		return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
			"attach to %d: it is a 32-bit program, which sprof can't profile", pid);
	target->pid = pid;
	return true;
}
