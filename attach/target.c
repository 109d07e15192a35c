/*
 * A target and its table of traced processes and threads. events.c handles reports; resume.c stops
 * and resumes.
 */
#include "attach/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/breakpoints/signals.h"
#include "attach/start/machine.h"
#include "attach/target-internal.h"
#include "base/array.h"
#include "base/clock.h"

/*
 * Resets SIGCHLD: if it were ignored, the kernel would reap our tracees and never wake us. Raises
 * the limit of open files: every thread keeps three open, up to five with a timer.
 */
static void take_over(struct sprof_inherited *ret)
{
	struct sigaction fallback = {.sa_handler = SIG_DFL};
	struct rlimit raised;

	sigaction(SIGCHLD, &fallback, &ret->child_handler);
	getrlimit(RLIMIT_NOFILE, &ret->descriptors);
	raised = ret->descriptors;
	raised.rlim_cur = raised.rlim_max;
	setrlimit(RLIMIT_NOFILE, &raised);
}

bool sprof_target_create(const struct sprof_target_options *options, struct sprof_target **ret,
	struct sprof_error *err)
{
	struct sprof_target *target;

	if (!sprof_machine_check(err))
		return false;
	target = calloc(1, sizeof(*target));
	if (!target)
		return sprof_error_no_memory(err);
	target->options = *options;
	sigaddset(&target->options.control, SIGCHLD);
	take_over(&target->inherited);
	*ret = target;
	return true;
}

static void process_destroy(struct sprof_process *process)
{
	sprof_process_forget_maps(process);
	sprof_process_drop_former(process);
	sprof_breakpoints_forget(process);
	sprof_trap_signals_forget(process);
	free(process);
}

void sprof_target_destroy(struct sprof_target *target)
{
	if (!target)
		return;
	for (size_t i = 0; i < target->thread_count; i++) {
		if (target->threads[i]->remainder.is_on)
			sprof_remainder_settle(target->threads[i]);
		sprof_thread_destroy(target->threads[i]);
	}
	for (size_t i = 0; i < target->process_count; i++)
		process_destroy(target->processes[i]);
	free(target->threads);
	free(target->processes);
	free(target);
}

unsigned long sprof_target_ptrace_options(const struct sprof_target *target)
{
	unsigned long options = PTRACE_O_TRACEEXEC | PTRACE_O_TRACESYSGOOD;

	if (!target->options.chosen_threads)
		options |= PTRACE_O_TRACECLONE;
	if (target->options.follow_children)
		options |= PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK;
	if (target->options.calls == SPROF_CALLS_SELECTED)
		options |= PTRACE_O_TRACESECCOMP | PTRACE_O_EXITKILL;
	return options;
}

pid_t sprof_target_pid(const struct sprof_target *target)
{
	return target->pid;
}

bool sprof_target_ended(const struct sprof_target *target, int *ret_wait_status)
{
	*ret_wait_status = target->wait_status;
	return target->ended;
}

void sprof_target_end_calls(struct sprof_target *target)
{
	target->options.calls = SPROF_CALLS_NONE;
	for (size_t i = 0; i < target->thread_count; i++) {
		struct sprof_thread *thread = target->threads[i];

		thread->habit = SPROF_RESUME_CONTINUE;
		if (thread->passing)
			thread->after_step = thread->habit;
		else if (!thread->watched)
			thread->resumption = thread->habit;
	}
}

struct sprof_thread **sprof_target_threads(const struct sprof_target *target, size_t *ret_count)
{
	*ret_count = target->thread_count;
	return target->threads;
}

uint32_t sprof_target_threads_seen(const struct sprof_target *target)
{
	return target->threads_seen;
}

uint32_t sprof_target_processes_seen(const struct sprof_target *target)
{
	return target->processes_seen;
}

struct sprof_process **sprof_target_processes(const struct sprof_target *target, size_t *ret_count)
{
	*ret_count = target->process_count;
	return target->processes;
}

uint32_t sprof_target_process_count(const struct sprof_target *target)
{
	return (uint32_t)target->process_count;
}

bool sprof_target_lacks_memory(const struct sprof_target *target)
{
	return target->out_of_memory;
}

bool sprof_target_left(const struct sprof_target *target)
{
	return target->left;
}

const struct sprof_target_programs *sprof_target_programs(const struct sprof_target *target)
{
	return &target->programs;
}

/* The table. */

static struct sprof_thread **bucket_of(const struct sprof_target *target, pid_t tid)
{
	return (struct sprof_thread **)&target->buckets[(unsigned)tid % TARGET_BUCKETS];
}

struct sprof_thread *sprof_target_find(const struct sprof_target *target, pid_t tid)
{
	struct sprof_thread *thread = *bucket_of(target, tid);

	while (thread && thread->tid != tid)
		thread = thread->next;
	return thread;
}

struct sprof_thread *sprof_target_find_of(
	const struct sprof_target *target, const struct sprof_process *process, pid_t tid)
{
	struct sprof_thread *thread = *bucket_of(target, tid);

	while (thread && (thread->tid != tid || thread->process != process))
		thread = thread->next;
	return thread;
}

struct sprof_thread *sprof_target_find_reported(const struct sprof_target *target, pid_t tid)
{
	struct sprof_thread *thread = sprof_target_find(target, tid);
	const bool had_it = thread && thread->tid != thread->process->pid &&
		syscall(SYS_tgkill, thread->process->pid, tid, 0) && errno == ESRCH;

	return had_it ? NULL : thread;
}

static void bucket_insert(struct sprof_target *target, struct sprof_thread *thread)
{
	struct sprof_thread **bucket = bucket_of(target, thread->tid);

	thread->next = *bucket;
	*bucket = thread;
}

static void bucket_remove(struct sprof_target *target, struct sprof_thread *thread)
{
	struct sprof_thread **link = bucket_of(target, thread->tid);

	while (*link && *link != thread)
		link = &(*link)->next;
	if (*link)
		*link = thread->next;
}

static struct sprof_process *process_get(struct sprof_target *target, pid_t pid)
{
	struct sprof_process *process;

	for (size_t i = target->process_count; i-- > 0;) {
		if (target->processes[i]->pid == pid)
			return target->processes[i];
	}
	if (!sprof_array_reserve(&target->processes, &target->process_capacity,
		    target->process_count + 1, sizeof(struct sprof_process *)))
		return NULL;
	process = calloc(1, sizeof(*process));
	if (!process)
		return NULL;
	process->id = target->processes_seen++;
	process->pid = pid;
	process->maps_file = process->memory_file = -1;
	sprof_process_open_files(process);
	target->processes[target->process_count++] = process;
	return process;
}

static void process_put(struct sprof_target *target, struct sprof_process *process)
{
	if (--process->threads)
		return;
	for (size_t i = 0; i < target->process_count; i++) {
		if (target->processes[i] == process)
			target->processes[i] = target->processes[--target->process_count];
	}
	process_destroy(process);
}

struct sprof_thread *sprof_target_add(struct sprof_target *target, pid_t pid, pid_t tid)
{
	struct sprof_thread *thread = sprof_target_find_reported(target, tid);
	struct sprof_process *process;

	if (thread)
		return thread;
	process = process_get(target, pid);
	if (!process)
		return NULL;
	process->threads++;
	if (sprof_array_reserve(&target->threads, &target->thread_capacity,
		    target->thread_count + 1, sizeof(struct sprof_thread *)))
		thread = sprof_thread_create(target->threads_seen, tid, process);
	if (!thread) {
		process_put(target, process);
		return NULL;
	}
	thread->seen_ns = sprof_clock_now_ns();
	thread->keeps_resumes = target->options.resumes;
	if (target->options.calls == SPROF_CALLS_ALL)
		thread->habit = SPROF_RESUME_TO_CALL;
	thread->resumption = thread->habit;
	thread->filtered = target->options.calls == SPROF_CALLS_SELECTED;
	target->threads[target->thread_count++] = thread;
	target->threads_seen++;
	bucket_insert(target, thread);
	return thread;
}

void sprof_target_succeed(
	struct sprof_target *target, struct sprof_thread *thread, struct sprof_thread *leader)
{
	const pid_t tid = thread->tid;

	bucket_remove(target, thread);
	bucket_remove(target, leader);
	thread->tid = leader->tid;
	leader->tid = tid;
	bucket_insert(target, thread);
}

void sprof_target_forget(struct sprof_target *target, struct sprof_thread *thread)
{
	for (size_t i = 0; i < target->thread_count; i++) {
		if (target->threads[i] == thread)
			target->threads[i] = target->threads[--target->thread_count];
	}
	bucket_remove(target, thread);
	sprof_event_queue_drop(&target->events, thread);
	if (thread->held_for)
		target->held_count--;
	process_put(target, thread->process);
	sprof_thread_destroy(thread);
}

void sprof_target_note_name(pid_t pid, char *name, size_t size)
{
	if (!name[0] && !sprof_proc_read_comm(pid, name, size))
		name[0] = '\0';
}
