/* Processes that live for one attempt at tracing. They end at the latest with sprof. */
#include "attach/start/self-check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/denial/denial.h"

/* A process that ends when the last writer of this pipe is gone. */
static _Noreturn void wait_for_end(const int leash[2])
{
	char byte;

	close(leash[1]);
	while (read(leash[0], &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

static bool seize(pid_t pid, struct sprof_error *err)
{
	if (!ptrace(PTRACE_SEIZE, pid, 0, 0))
		return true;
	(void)!sprof_diagnose(pid, errno, err);
	return false;
}

/*
 * Tries it in a child: Yama lets only an ancestor trace a process, and a sibling is none
 * (security/yama/yama_lsm.c, task_is_descendant).
 */
static bool seize_as_stranger(pid_t pid, struct sprof_error *err)
{
	int answers[2];
	pid_t stranger;
	ssize_t size;

	if (pipe2(answers, O_CLOEXEC))
		return sprof_error_errno(err, errno, "pipe");
	stranger = fork();
	if (!stranger) {
		*err = (struct sprof_error){0};
		(void)!seize(pid, err);
		_exit(write(answers[1], err, sizeof(*err)) != (ssize_t)sizeof(*err));
	}
	close(answers[1]);
	size = read(answers[0], err, sizeof(*err));
	close(answers[0]);
	if (stranger > 0)
		waitpid(stranger, NULL, 0);
	if (size != (ssize_t)sizeof(*err))
		return sprof_error_errno(err, EAGAIN, "fork");
	return err->kind == SPROF_ERROR_NONE;
}

bool sprof_self_check_ptrace(bool is_strange, struct sprof_error *err)
{
	int leash[2];
	pid_t pid;
	bool done;

	if (pipe2(leash, O_CLOEXEC))
		return sprof_error_errno(err, errno, "pipe");
	pid = fork();
	if (!pid)
		wait_for_end(leash);
	close(leash[0]);
	if (pid < 0)
		done = sprof_error_errno(err, errno, "fork");
	else
		done = is_strange ? seize_as_stranger(pid, err) : seize(pid, err);
	close(leash[1]);
	if (pid > 0)
		waitpid(pid, NULL, __WALL);
	return done;
}
