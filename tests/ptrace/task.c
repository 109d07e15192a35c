/*
 * What /proc says of the threads of a program, and waiting for it to say something else.
 */
#include <sched.h>

#include "base/clock.h"
#include "base/proc-status.h"
#include "tests/ptrace/scene.h"
#include "tests/unit/check.h"

long task_number(pid_t pid, pid_t tid, const char *field)
{
	char text[SPROF_PROC_STATUS_MAX];
	long number;

	if (sprof_proc_status_read(pid, tid, text, sizeof(text)) <= 0 ||
		!sprof_proc_status_number(text, field, &number))
		return -1;
	return number;
}

char task_state(pid_t pid, pid_t tid)
{
	struct sprof_proc_stat stat;
	char text[1024];

	if (sprof_proc_read_file(pid, tid, "stat", text, sizeof(text)) <= 0 ||
		!sprof_proc_parse_stat(text, &stat))
		return 'X';
	return stat.state;
}

size_t for_each_task(pid_t pid, void (*function)(pid_t pid, pid_t tid, void *data), void *data)
{
	DIR *tasks = sprof_proc_open_tasks(pid);
	size_t count = 0;
	pid_t tid;

	assert_non_null(tasks);
	for (; (tid = sprof_proc_next_id(tasks)); count++)
		function(pid, tid, data);
	closedir(tasks);
	return count;
}

static uint64_t limit_ns(void)
{
	return sprof_clock_now_ns() + scene_limit_ns();
}

void wait_for_state(pid_t pid, pid_t tid, char state)
{
	uint64_t limit = limit_ns();

	while (task_state(pid, tid) != state) {
		assert_true(sprof_clock_now_ns() < limit);
		sched_yield();
	}
}

static void expect_no_tracer(pid_t pid, pid_t tid, void *unused)
{
	uint64_t limit = limit_ns();

	/* The thread is joined a moment before it is gone for the kernel. */
	while (task_number(pid, tid, "TracerPid") > 0) {
		assert_true(sprof_clock_now_ns() < limit);
		sched_yield();
	}
}

void wait_for_no_tracer(pid_t pid)
{
	for_each_task(pid, expect_no_tracer, NULL);
}
