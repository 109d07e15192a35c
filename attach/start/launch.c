/*
 * Starts a traced program: fork, seize and exec in the right order.
 *
 * The child waits on a socket until it is seized, then execs. So its first stop is at the program's
 * first instruction. The socket closes on exec. If exec fails, errno comes back through the socket.
 */
#include "attach/start/explain-exec.h"
#include "attach/target.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/denial/denial.h"
#include "attach/denial/lost-rights.h"
#include "attach/leave.h"
#include "attach/start/child.h"
#include "attach/stop.h"
#include "attach/target-internal.h"
#include "attach/tracers/watch.h"
#include "base/cleanup.h"

/*
 * Waits until the child is stopped at its exec; delivers its signals. Returns false if it ended
 * before.
 */
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
	/* If this write fails, the child waits until the socket closes, then ends. */
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
	sprof_watch_program(thread);
	sprof_target_leaves_narrow(target, thread);
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
		sprof_child_run(sockets[1], launch,
			&(struct sprof_child_setup){
				.mask = &target->options.child_mask,
				.child_handler = &target->inherited.child_handler,
				.descriptors = &target->inherited.descriptors,
			});
	}
	close(sockets[1]);
	if (child < 0)
		return sprof_error_errno(err, errno, "run %s", launch->arguments[0]);
	return trace_child(target, child, ours, launch, err);
}
