/*
 * Starting a program under trace. Knows fork, seize and exec in the right order; refuses to know what
 * happens to the program afterwards.
 *
 * The child waits on a socket until it is seized and then execs, so that its first stop is at the
 * program's first instruction. The socket closes on exec; when exec fails, errno comes back through it.
 */
#include "attach/explain-exec.h"
#include "attach/target.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/diagnose.h"
#include "attach/stop.h"
#include "attach/target-internal.h"
#include "base/cleanup.h"

/* An exec keeps what is ignored, and makes handlers the default (execve(2)). */
static void ignore_signals(const sigset_t *ignored)
{
	for (int number = 1; ignored && number < NSIG; number++) {
		if (sigismember(ignored, number) == 1)
			signal(number, SIG_IGN);
	}
}

static void __attribute__((noreturn)) child_run(int socket, const struct sprof_target *target,
	const struct sprof_launch *launch)
{
	char seized;
	int errnum;

	if (read(socket, &seized, 1) != 1)
		_exit(127);
	if (launch->stdout_to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	setrlimit(RLIMIT_NOFILE, &target->inherited.descriptors);
	sigaction(SIGCHLD, &target->inherited.child_handler, NULL);
	ignore_signals(launch->ignored);
	sigprocmask(SIG_SETMASK, &target->options.child_mask, NULL);
	execvpe(launch->arguments[0], launch->arguments, launch->environment);
	errnum = errno;
	if (write(socket, &errnum, sizeof(errnum)) < 0)
		_exit(126);
	_exit(127);
}

/* Waits until the child stands at its exec, passing signals on. False: it ended before. */
static bool wait_for_exec(pid_t child)
{
	int status;

	while (waitpid(child, &status, __WALL) == child) {
		struct sprof_stop stop = sprof_stop_classify(status);

		if (stop.kind == SPROF_STOP_EXEC)
			return true;
		if (stop.kind == SPROF_STOP_EXITED || stop.kind == SPROF_STOP_KILLED)
			return false;
		ptrace(PTRACE_CONT, child, 0, stop.kind == SPROF_STOP_SIGNAL ? stop.value : 0);
	}
	return false;
}

static bool explain_exec(int socket, const char *program, struct sprof_error *err)
{
	int errnum;

	if (read(socket, &errnum, sizeof(errnum)) != (ssize_t)sizeof(errnum))
		return sprof_error_set(err, SPROF_ERROR_TARGET_GONE,
			"run %s: it ended before its first instruction", program);
	return sprof_explain_exec(program, errnum, err);
}

static bool trace_child(struct sprof_target *target, pid_t child, int socket,
	const struct sprof_launch *launch, struct sprof_error *err)
{
	struct sprof_thread *thread;

	if (ptrace(PTRACE_SEIZE, child, 0, sprof_target_ptrace_options(target)))
		return sprof_diagnose(child, errno, err);
	/* Without the word the child waits until the socket closes, and ends. */
	if (write(socket, "", 1) != 1)
		return sprof_error_errno(err, errno, "run %s", launch->arguments[0]);
	if (!wait_for_exec(child))
		return explain_exec(socket, launch->arguments[0], err);
	thread = sprof_target_add(target, child, child);
	if (!thread)
		return sprof_error_no_memory(err);
	thread->born = true;
	thread->phase = SPROF_THREAD_STOPPED;
	target->pid = child;
	target->ended = false;
	target->launched = true;
	sprof_target_check_rights(target, child);
	if (sprof_target_leaves_narrow(target, thread))
		target->next_event = (struct sprof_event){.kind = SPROF_EVENT_ENDED, .thread = thread};
	return true;
}

bool sprof_target_launch(
	struct sprof_target *target, const struct sprof_launch *launch, struct sprof_error *err)
{
	SPROF_AUTO_CLOSE int ours = -1;
	int sockets[2];
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets))
		return sprof_error_errno(err, errno, "run %s", launch->arguments[0]);
	ours = sockets[0];
	child = fork();
	if (!child) {
		close(sockets[0]);
		child_run(sockets[1], target, launch);
	}
	close(sockets[1]);
	if (child < 0)
		return sprof_error_errno(err, errno, "run %s", launch->arguments[0]);
	return trace_child(target, child, ours, launch, err);
}
