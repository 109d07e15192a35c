/*
 * A thread that reaps the tracees of another thread of this process, which wait(2) permits. Starts
 * with a delay: only a long attach suggests that an exec blocks it. The other thread owns the table
 * of threads.
 */
#include "attach/reaper.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/proc.h"

/* Reaps nothing before this time; most attaches end sooner. */
enum { PATIENCE_MS = 10 };

/* A wait for ends also finds stops of tracees (kernel/exit.c, wait_task_stopped), which are not
 * ours to consume. */
static bool has_ended(pid_t tid)
{
	siginfo_t info = {.si_pid = 0};

	return !waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) &&
		info.si_pid && info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED;
}

/* Skips the leader: no exec waits for it. */
static void reap_threads(pid_t pid)
{
	DIR *tasks = sprof_proc_open_tasks(pid);
	pid_t tid;

	while (tasks && (tid = sprof_proc_next_id(tasks))) {
		if (tid != pid && has_ended(tid))
			waitpid(tid, NULL, WNOHANG | __WALL);
	}
	if (tasks)
		closedir(tasks);
}

static bool is_over_in_time(struct sprof_reaper *reaper)
{
	struct pollfd over = {.fd = reaper->over, .events = POLLIN};
	int ready;

	do
		ready = poll(&over, 1, PATIENCE_MS);
	while (ready < 0 && errno == EINTR);
	return ready;
}

static void *run(void *data)
{
	struct sprof_reaper *reaper = data;

	while (!is_over_in_time(reaper))
		reap_threads(reaper->pid);
	return NULL;
}

void sprof_reaper_start(struct sprof_reaper *reaper, pid_t pid)
{
	*reaper = (struct sprof_reaper){.pid = pid};
	reaper->over = eventfd(0, EFD_CLOEXEC);
	reaper->runs = reaper->over >= 0 && !pthread_create(&reaper->thread, NULL, run, reaper);
}

void sprof_reaper_stop(struct sprof_reaper *reaper)
{
	const uint64_t one = 1;

	/* It can't fail: it is the first one. */
	if (reaper->runs && write(reaper->over, &one, sizeof(one)) == sizeof(one))
		pthread_join(reaper->thread, NULL);
	if (reaper->over >= 0)
		close(reaper->over);
}
