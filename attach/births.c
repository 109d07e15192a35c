/*
 * Registers new threads and processes. dispatch.c handles the first stop of a new thread,
 * attach/start/seize.c the threads at an attach. The kernel announces all births but those of its
 * own workers in a process.
 */
#include "attach/births.h"

#include <dirent.h>
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/breakpoints/breakpoints.h"
#include "attach/breakpoints/signals.h"
#include "attach/proc/auxv.h"
#include "attach/tracers/watch.h"
#include "base/clock.h"
#include "base/numbers.h"
#include "base/proc-status.h"

/*
 * A thread's process, and that process's parent. Returns false if the process is gone, or is a
 * zombie that was already reaped; its parent is stopped to announce it.
 */
static bool read_family(pid_t tid, long *ret_pid, long *ret_parent)
{
	char text[SPROF_PROC_STATUS_MAX];
	long tracer;

	return sprof_proc_status_read(tid, 0, text, sizeof(text)) >= 0 &&
		sprof_proc_status_number(text, "TracerPid", &tracer) && tracer == gettid() &&
		sprof_proc_status_number(text, "Tgid", ret_pid) &&
		sprof_proc_status_number(text, "PPid", ret_parent);
}

static struct sprof_process *find_process(const struct sprof_target *target, pid_t pid)
{
	for (size_t i = 0; i < target->process_count; i++) {
		if (target->processes[i]->pid == pid)
			return target->processes[i];
	}
	return NULL;
}

/* The kernel puts random bytes at another address in each exec. Forks keep it. */
static bool are_of_one_exec(pid_t one, pid_t other)
{
	const uint64_t random = sprof_auxv_find(one, AT_RANDOM);

	return random && random == sprof_auxv_find(other, AT_RANDOM) &&
		sprof_auxv_find(one, AT_ENTRY) == sprof_auxv_find(other, AT_ENTRY);
}

/*
 * The process that created this one. With CLONE_PARENT, or if the creator has ended, its parent is
 * another one; then any process with the same code has the same breakpoints.
 */
static struct sprof_process *find_creator(
	const struct sprof_target *target, const struct sprof_process *child, pid_t parent)
{
	struct sprof_process *found = find_process(target, parent);
	const bool is_new = child->threads == 1;

	for (size_t i = 0; !found && is_new && i < target->process_count; i++) {
		struct sprof_process *process = target->processes[i];

		if (process->breakpoints && process != child &&
			are_of_one_exec(process->pid, child->pid))
			found = process;
	}
	return found;
}

static bool is_followed(const struct sprof_target *target, pid_t pid)
{
	return target->options.follow_children || find_process(target, pid);
}

/* A child that was made with its parent's memory. */
static void take_after(
	struct sprof_target *target, struct sprof_process *parent, struct sprof_thread *thread)
{
	sprof_watch_child(parent, thread);
	if (parent && parent != thread->process)
		sprof_trap_signals_inherit(parent, thread->process);
	if (parent && parent != thread->process &&
		!sprof_breakpoints_inherit(parent, thread->process))
		target->out_of_memory = true;
}

struct sprof_thread *sprof_birth_adopt(struct sprof_target *target, pid_t tid)
{
	struct sprof_thread *thread = sprof_target_find_reported(target, tid);
	struct sprof_process *creator;
	long pid, parent;

	if (thread)
		return thread;
	if (!read_family(tid, &pid, &parent) || !is_followed(target, (pid_t)pid))
		return NULL;
	thread = sprof_target_add(target, (pid_t)pid, tid);
	if (!thread) {
		target->out_of_memory = true;
		return NULL;
	}
	thread->born = true;
	creator = find_creator(target, thread->process, (pid_t)parent);
	sprof_watch_newborn(creator, thread);
	take_after(target, creator, thread);
	return thread;
}

/* A child that is not followed is detached at its first stop. Its parent may not trace it
 * before. */
void sprof_birth_announced(struct sprof_target *target, struct sprof_thread *creator)
{
	struct sprof_thread *child;
	unsigned long message;
	long pid, parent;

	if (ptrace(PTRACE_GETEVENTMSG, creator->tid, 0, &message))
		return;
	child = sprof_birth_adopt(target, (pid_t)message);
	target->has_let_go |= !child;
	if (child && (target->options.tasks || target->options.births))
		sprof_event_queue_put_now(&target->events,
			(struct sprof_event){.kind = SPROF_EVENT_BORN,
				.thread = creator,
				.born = {child, child->tid, child->process != creator->process}});
	if ((child && child->process != creator->process) ||
		sprof_breakpoints_are_lent(creator->process))
		sprof_watch_creator(creator);
	else if (!child && read_family((pid_t)message, &pid, &parent))
		sprof_watch_hold(target, creator, (pid_t)message);
}

/*
 * How many threads of the process are not traced. The kernel counts all as the links of their
 * folder (fs/proc/base.c, proc_task_getattr).
 */
static unsigned count_untraced(const struct sprof_process *process)
{
	enum { OWN_LINKS = 2 };
	struct stat status;

	if (stat(sprof_proc_path(process->pid, 0, "task").text, &status))
		return 0;
	return (unsigned)sprof_minus(status.st_nlink, process->threads + OWN_LINKS);
}

/* What a thread has used, it has lived. */
static uint64_t born_before_ns(struct sprof_thread *thread)
{
	const uint64_t now_ns = sprof_clock_now_ns();
	struct sprof_proc_schedstat used;

	return sprof_thread_read_schedstat(thread, &used)
		? sprof_minus(now_ns, used.cpu_ns + used.runq_ns)
		: now_ns;
}

/* Once it is seized, its end is reported, and its last figures can be read. */
static void take_worker(struct sprof_target *target, pid_t pid, pid_t tid)
{
	struct sprof_thread *thread;

	if (ptrace(PTRACE_SEIZE, tid, 0, sprof_target_ptrace_options(target)))
		return;
	thread = sprof_target_add(target, pid, tid);
	if (!thread) {
		target->out_of_memory = true;
		return;
	}
	thread->born = thread->is_worker = true;
	thread->seen_ns = born_before_ns(thread);
}

/*
 * Whether it will be known later: a thread whose birth was not reported yet, which is traced
 * already, or a worker without its name, which it gets when it first runs.
 */
static bool is_newborn(pid_t tid, const struct sprof_proc_stat *stat)
{
	long pid, parent;

	return (stat->flags & (SPROF_PF_IO_WORKER | SPROF_PF_USER_WORKER)) ||
		read_family(tid, &pid, &parent);
}

void sprof_target_find_workers(struct sprof_target *target, struct sprof_process *process)
{
	const unsigned untraced = count_untraced(process);
	unsigned left_alone = 0;
	const pid_t pid = process->pid;
	struct sprof_proc_stat stat;
	char text[1024];
	DIR *tasks;
	pid_t tid;

	/* What has left for another tracer must not be taken back. */
	if (target->options.chosen_threads || target->held_count)
		return;
	if (untraced <= process->untraced) {
		process->untraced = untraced;
		return;
	}
	tasks = sprof_proc_open_tasks(pid);
	while (tasks && (tid = sprof_proc_next_id(tasks))) {
		if (sprof_target_find(target, tid) ||
			sprof_proc_read_file(pid, tid, "stat", text, sizeof(text)) <= 0 ||
			!sprof_proc_parse_stat(text, &stat))
			continue;
		if (sprof_proc_is_worker(&stat))
			take_worker(target, pid, tid);
		else if (is_newborn(tid, &stat))
			continue;
		left_alone += !sprof_target_find(target, tid);
	}
	if (tasks)
		closedir(tasks);
	process->untraced = left_alone;
}
