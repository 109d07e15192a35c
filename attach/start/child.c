/*
 * Starts a program in a process that waits on a socket before its exec. launch.c traces programs.
 */
#include "attach/start/child.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/start/explain-exec.h"

/*
 * An ordinary user may set a filter only if no program gets new privileges under it (seccomp(2)).
 */
static bool set_filter(const struct sock_fprog *filter)
{
	if (!filter || !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter))
		return true;
	return errno == EACCES && !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
		!prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter);
}

static void set_up(const struct sprof_launch *launch, const struct sprof_child_setup *setup)
{
	if (launch->stdout_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (setup->descriptors)
		setrlimit(RLIMIT_NOFILE, setup->descriptors);
	sigaction(SIGCHLD, setup->child_handler, NULL);
	/* An exec keeps ignored signals ignored, and resets handlers to the default (execve(2)). */
	for (int number = 1; launch->ignored && number < NSIG; number++) {
		if (sigismember(launch->ignored, number) == 1)
			signal(number, SIG_IGN);
	}
	sigprocmask(SIG_SETMASK, setup->mask, NULL);
}

void sprof_child_run(
	int socket, const struct sprof_launch *launch, const struct sprof_child_setup *setup)
{
	char word;
	int errnum;

	if (read(socket, &word, 1) != 1)
		_exit(127);
	set_up(launch, setup);
	if (set_filter(launch->filter))
		execvpe(launch->arguments[0], launch->arguments, launch->environment);
	errnum = errno;
	if (write(socket, &errnum, sizeof(errnum)) < 0)
		_exit(126);
	_exit(127);
}

bool sprof_child_start(struct sprof_child *child, const struct sprof_launch *launch,
	const sigset_t *mask, struct sprof_error *err)
{
	const struct sigaction plain = {.sa_handler = SIG_DFL};
	int sockets[2];

	*child = (struct sprof_child){.socket = -1, .program = launch->arguments[0]};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return sprof_error_errno(err, errno, "run %s", child->program);
	/* If SIGCHLD is ignored, a child's status is lost (waitpid(2)). */
	sigaction(SIGCHLD, &plain, &child->child_handler);
	child->pid = fork();
	if (!child->pid) {
		close(sockets[0]);
		sprof_child_run(sockets[1], launch,
			&(struct sprof_child_setup){
				.mask = mask, .child_handler = &child->child_handler});
	}
	close(sockets[1]);
	child->socket = sockets[0];
	if (child->pid > 0)
		return true;
	sprof_error_errno(err, errno, "run %s", child->program);
	close(child->socket);
	return false;
}

void sprof_child_cancel(struct sprof_child *child)
{
	if (child->socket < 0)
		return;
	close(child->socket);
	child->socket = -1;
	waitpid(child->pid, NULL, 0);
}

/* The exec closes the socket; on failure, errno arrives through it. */
bool sprof_child_go(struct sprof_child *child, struct sprof_error *err)
{
	int errnum;
	ssize_t length = write(child->socket, "", 1);

	if (length == 1)
		length = read(child->socket, &errnum, sizeof(errnum));
	if (!length) {
		close(child->socket);
		child->socket = -1;
		return true;
	}
	sprof_child_cancel(child);
	if (length == (ssize_t)sizeof(errnum))
		return sprof_explain_exec(child->program, errnum, err);
	return sprof_error_set(err, SPROF_ERROR_TARGET_GONE,
		"run %s: it ended before its first instruction", child->program);
}

bool sprof_child_ended(const struct sprof_child *child, int *ret_wait_status)
{
	return waitpid(child->pid, ret_wait_status, WNOHANG) == child->pid;
}
