/*
 * Attaches to a running process: seizes all its threads while they come and go, or chosen ones,
 * without stopping any. births.c handles births after the attach.
 */
#include "attach/target.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/denial/denial.h"
#include "attach/reaper.h"
#include "attach/tracers/program.h"
#include "attach/target-internal.h"
#include "attach/tracers/watch.h"

/* No process execs while being seized this many times in a row. */
enum { ATTEMPTS = 10 };

enum seized { SEIZED, SEIZED_BEFORE, SEIZE_GONE, SEIZE_DENIED, SEIZE_NO_MEMORY };

/* A thread that is just ending answers EPERM or ESRCH: it is gone, not forbidden. */
static bool is_gone(pid_t pid, pid_t tid)
{
	char text[1024];
	struct sprof_proc_stat stat;

	return sprof_proc_read_file(pid, tid, "stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_stat(text, &stat) || (stat.flags & SPROF_PF_EXITING) ||
		stat.state == 'Z' || stat.state == 'X';
}

/* Its creator is seized, so the kernel has seized it too. Its first stop will announce it. */
static bool is_ours(pid_t tid)
{
	long tracer;

	return sprof_proc_status_read_number(tid, "TracerPid", &tracer) && tracer == gettid();
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

/* One pass over the threads. *ret_new: whether any was new. *ret_errnum: the last errno of
 * ptrace. */
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
		(tid = sprof_proc_next_id(tasks))) {
		result = seize(target, pid, tid, ret_errnum);
		*ret_new |= result == SEIZED;
	}
	closedir(tasks);
	return result;
}

/* A user may name a process by any of its threads. */
static pid_t process_of(pid_t pid)
{
	long tgid;

	return sprof_proc_status_read_number(pid, "Tgid", &tgid) ? (pid_t)tgid : pid;
}

/* The kernel seizes threads born of seized ones, so the first pass without a new one is the
 * last. */
static enum seized seize_all(struct sprof_target *target, pid_t pid, int *ret_errnum)
{
	enum seized result;
	bool found;

	do {
		result = seize_pass(target, pid, &found, ret_errnum);
	} while (found && result != SEIZE_DENIED && result != SEIZE_NO_MEMORY);
	return result;
}

/* While a thread executes a program, the leader ends before that thread takes its place. */
static bool has_ended(pid_t pid)
{
	DIR *tasks = sprof_proc_open_tasks(pid);
	bool found = false;
	pid_t tid;

	if (!tasks)
		return true;
	while (!found && (tid = sprof_proc_next_id(tasks)))
		found = !is_gone(pid, tid);
	closedir(tasks);
	return !found;
}

/* Threads of other processes may have been seized before. */
static bool has_threads_of(const struct sprof_target *target, pid_t pid)
{
	for (size_t i = 0; i < target->process_count; i++) {
		if (target->processes[i]->pid == pid)
			return true;
	}
	return false;
}

/*
 * Whether the result describes the process as it is now. Otherwise the leader was replaced by an
 * exec of another thread, and the new leader must be seized.
 */
static bool is_settled(struct sprof_target *target, pid_t pid, enum seized result)
{
	struct sprof_thread *leader = sprof_target_find(target, pid);

	if (result == SEIZE_NO_MEMORY || has_ended(pid))
		return true;
	if (leader && !is_ours(pid)) {
		sprof_target_release(target, leader);
		return false;
	}
	return result != SEIZE_DENIED && has_threads_of(target, pid);
}

/* Tries several times, in case the process execs. */
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
 * Forgets threads that the reaper took, whose ends will not be reported, and the old tid of a
 * thread that became the leader by an exec while being seized.
 */
static void forget_gone(struct sprof_target *target, pid_t pid)
{
	for (size_t i = target->thread_count; i-- > 0;) {
		struct sprof_thread *thread = target->threads[i];

		if (thread->process->pid == pid && syscall(SYS_tgkill, pid, thread->tid, 0) &&
			errno == ESRCH)
			sprof_target_release(target, thread);
	}
	if (!sprof_target_find(target, pid) && is_ours(pid) && !sprof_target_add(target, pid, pid))
		target->out_of_memory = true;
}

static bool refuse_narrow(pid_t pid, struct sprof_error *err)
{
	return sprof_error_set(err, SPROF_ERROR_UNSUPPORTED,
		"attach to %d: it is a 32-bit program, which sprof can't profile", pid);
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
	if (!has_threads_of(target, pid))
		return sprof_diagnose(pid, ESRCH, err);
	/* Checked after the seize: an exec from here on is an event. */
	if (sprof_program_has_other_word_size(pid))
		return refuse_narrow(pid, err);
	sprof_watch_running(target, pid);
	target->pid = target->pid ? target->pid : pid;
	return true;
}

bool sprof_target_attach_thread(struct sprof_target *target, pid_t tid, struct sprof_error *err)
{
	const pid_t pid = process_of(tid);
	int errnum = ESRCH;

	assert(target->options.chosen_threads);
	switch (seize(target, pid, tid, &errnum)) {
	case SEIZED:
	case SEIZED_BEFORE:
		break;
	case SEIZE_NO_MEMORY:
		return sprof_error_no_memory(err);
	case SEIZE_GONE:
		return sprof_error_set(
			err, SPROF_ERROR_TARGET_GONE, "attach to thread %d: no such thread", tid);
	case SEIZE_DENIED:
		return sprof_diagnose(pid, errnum, err);
	}
	if (sprof_program_has_other_word_size(pid))
		return refuse_narrow(pid, err);
	sprof_watch_running(target, pid);
	target->pid = target->pid ? target->pid : pid;
	return true;
}
