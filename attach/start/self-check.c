/* Processes that live for one attempt at tracing. They end at the latest with sprof. */
#include "attach/start/self-check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/denial/denial.h"

/* A process that waits. */
struct subject {
	pid_t pid;
	int leash; /* it ends when the last one closes this */
};

/* The pipe's writer is sprof alone. */
static _Noreturn void wait_for_end(const int leash[2])
{
	char byte;

	close(leash[1]);
	while (read(leash[0], &byte, 1) < 0 && errno == EINTR)
		;
	_exit(0);
}

/* The process's id, or -errno, goes through a pipe, because its parent ends at once. */
static _Noreturn void start_stranger(const int leash[2], const int ids[2])
{
	const pid_t child = fork(), pid = child < 0 ? -errno : child;
	ssize_t written;

	if (!child)
		wait_for_end(leash);
	written = write(ids[1], &pid, sizeof(pid));
	_exit(written == (ssize_t)sizeof(pid) ? 0 : 1);
}

static bool start_child(struct subject *subject, const int leash[2])
{
	subject->pid = fork();
	if (!subject->pid)
		wait_for_end(leash);
	return subject->pid > 0;
}

static bool start_orphan(struct subject *subject, const int leash[2])
{
	int ids[2];
	pid_t starter;
	bool done;

	if (pipe2(ids, O_CLOEXEC))
		return false;
	starter = fork();
	if (!starter)
		start_stranger(leash, ids);
	close(ids[1]);
	done = starter > 0 &&
		read(ids[0], &subject->pid, sizeof(subject->pid)) == (ssize_t)sizeof(subject->pid);
	close(ids[0]);
	/* Only when its parent has ended, the kernel takes it for a stranger. */
	if (starter > 0)
		waitpid(starter, NULL, 0);
	if (done && subject->pid < 0)
		errno = -subject->pid;
	return done && subject->pid > 0;
}

static bool start(bool is_strange, struct subject *ret, struct sprof_error *err)
{
	int leash[2];
	bool done;

	if (pipe2(leash, O_CLOEXEC))
		return sprof_error_errno(err, errno, "pipe");
	done = is_strange ? start_orphan(ret, leash) : start_child(ret, leash);
	close(leash[0]);
	ret->leash = leash[1];
	if (done)
		return true;
	close(leash[1]);
	return sprof_error_errno(err, errno, "fork");
}

bool sprof_self_check_ptrace(bool is_strange, struct sprof_error *err)
{
	struct subject subject;
	int errnum = 0;

	if (!start(is_strange, &subject, err))
		return false;
	if (ptrace(PTRACE_SEIZE, subject.pid, 0, 0))
		errnum = errno;
	if (errnum)
		(void)!sprof_diagnose(subject.pid, errnum, err);
	close(subject.leash);
	/* A stranger that is not traced has another parent, which waits for it. */
	if (!errnum || !is_strange)
		waitpid(subject.pid, NULL, __WALL);
	return !errnum;
}
